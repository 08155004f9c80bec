// A `logwood serve` of a test's own: temporary data, free ports, killed by its process id.

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..');
const binary = resolve(process.env.LOGWOOD_BIN ?? join(root, 'target', 'debug', 'logwood'));
const READY_MS_MAX = 60_000;
/** How often a server is asked whether it has got so far. */
const ASK_MS = 100;

export class Server {
  #child;
  #words;
  #addresses;
  #folder = mkdtempSync(join(tmpdir(), 'logwood-ui-'));

  /** `words` stand behind `serve`. */
  constructor(words = []) {
    this.#words = words;
  }

  /** Starts it, and waits until it is ready. A server that was killed goes on with its data. */
  async start() {
    const listeners = ['http', 'udp', 'tcp', 'tls', 'relp'];
    const flags = listeners.flatMap((name) => [`--${name}`, '127.0.0.1:0']);
    this.#child = spawn(
      binary,
      ['serve', '--data-dir', 'logwood-data', ...flags, ...this.#words],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, TZ: 'UTC' },
      },
    );
    const line = await readyLine(this.#child);
    const pairs = line.split(' ').slice(1).map((word) => word.split('='));
    this.#addresses = Object.fromEntries(pairs);
  }

  get url() {
    return `http://${this.#addresses.http}`;
  }

  /** Sends lines over TCP and resolves when they are on their way. */
  send(lines) {
    const [host, port] = this.#addresses.tcp.split(':');
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), host, () => socket.end(lines.join('\n') + '\n'));
      socket.on('close', resolve).on('error', reject);
    });
  }

  /** A connection that stays: its `write` resolves when there is room for more lines. */
  async connect() {
    const [host, port] = this.#addresses.tcp.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    const write = async (lines) => {
      if (!socket.write(lines.join('\n') + '\n')) await once(socket, 'drain');
    };
    return { write, end: () => socket.end() };
  }

  /** Sends datagrams over UDP and resolves when they are on their way. */
  async sendDatagrams(datagrams) {
    const [host, port] = this.#addresses.udp.split(':');
    const socket = createSocket('udp4');
    const send = (datagram) =>
      new Promise((resolve, reject) => {
        socket.send(datagram, Number(port), host, (error) => (error ? reject(error) : resolve()));
      });
    for (const datagram of datagrams) await send(datagram);
    socket.close();
  }

  /** Files lines under their own time stamps. */
  async load(lines) {
    await this.post('import?time=message', lines.join('\n') + '\n');
  }

  /** Posts a body to an endpoint of the API. */
  async post(endpoint, body) {
    const answer = await fetch(`${this.url}/api/v1/${endpoint}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${endpoint}: ${answer.status} ${await answer.text()}`);
  }

  /** Waits until so many records are there, or more. */
  async waitForRecords(expected) {
    const end = Date.now() + READY_MS_MAX;
    for (;;) {
      const { count } = await this.ask('count', {});
      if (count >= expected) return;
      if (Date.now() > end) throw new Error(`${count} records instead of ${expected}`);
      await delay(ASK_MS);
    }
  }

  /** The answer of an endpoint of the API. */
  async ask(endpoint, parameters) {
    const query = new URLSearchParams(parameters);
    const answer = await fetch(`${this.url}/api/v1/${endpoint}?${query}`);
    return answer.json();
  }

  /** Ends it as a crash would. */
  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  async stop() {
    if (this.#child) await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function readyLine(child) {
  return new Promise((resolve, reject) => {
    const said = [];
    const fail = (why) => reject(new Error(`${why}; it said:\n${said.join('\n')}`));
    const timer = setTimeout(() => fail('the server is not ready'), READY_MS_MAX);
    child.once('error', (error) => fail(`cannot start ${binary}: ${error.message}`));
    child.once('exit', (code) => fail(`the server ended with ${code}`));
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (!line.startsWith('ready ')) return;
      clearTimeout(timer);
      resolve(line);
    });
  });
}
