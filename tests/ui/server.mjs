// A `logwood serve` of a test's own: temporary data, free ports, killed by its process id.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..', '..');
const binary = process.env.LOGWOOD_BIN ?? join(root, 'target', 'debug', 'logwood');
const READY_MS_MAX = 60_000;

export class Server {
  #child;
  #folder;
  #addresses;

  /** Starts a server with more words behind `serve`, and waits until it is ready. */
  static async start(words = []) {
    const server = new Server();
    server.#folder = mkdtempSync(join(tmpdir(), 'logwood-ui-'));
    const listeners = ['http', 'udp', 'tcp', 'tls', 'relp'];
    const flags = listeners.flatMap((name) => [`--${name}`, '127.0.0.1:0']);
    server.#child = spawn(
      binary,
      ['serve', '--data-dir', join(server.#folder, 'data'), ...flags, ...words],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TZ: 'UTC' } },
    );
    const line = await readyLine(server.#child);
    const pairs = line.split(' ').slice(1).map((word) => word.split('='));
    server.#addresses = Object.fromEntries(pairs);
    return server;
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

  /** Files lines under their own time stamps. */
  async load(lines) {
    const body = lines.join('\n') + '\n';
    const answer = await fetch(`${this.url}/api/v1/import?time=message`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`import: ${answer.status} ${await answer.text()}`);
  }

  /** The answer of an endpoint of the API. */
  async ask(endpoint, parameters) {
    const query = new URLSearchParams(parameters);
    const answer = await fetch(`${this.url}/api/v1/${endpoint}?${query}`);
    return answer.json();
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
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
