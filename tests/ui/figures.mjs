// Measures the page in Chromium on a demonstration, and prints a table:
//
//   LOGWOOD_BIN=target/release/logwood node tests/ui/figures.mjs [--tail-minutes 60]
//
// First paint and rows are the median and the longest of several openings, with the browser's cache
// warm and nothing of this script at work in the page. Typing is the time from a key to the end of
// the frame that shows it, in a browser that draws at once and in one that waits for the beat of a
// screen of 60 Hz, up to 16.7 ms. Memory is that of a page with the tail at 2,000 records a second,
// once a minute: the script's heap after garbage has been collected, and what the process of the
// page has to itself and in all, as Chromium's task manager and `ps` tell it.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Browser, editor, firstRow } from './browser.mjs';
import { watchRows } from './drawn.mjs';
import { logs } from './logs.mjs';
import { Server } from './server.mjs';

const OPENINGS = 15;
const RATE = 2_000;
const BATCHES_PER_SECOND = 10;
const RECORDS = 50_000;

/** In which what was started at the end of an opening comes to its end. */
const PAUSE_MS = 500;

const flags = parseArgs({ options: { 'tail-minutes': { type: 'string', default: '1' } } });
const minutes = Number(flags.values['tail-minutes']);
if (!(minutes >= 0)) throw new Error('--tail-minutes is a number of minutes');

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Opens the page, and tells when it was painted first and when the first rows were drawn. */
async function openings(page, count) {
  let tell;
  await page.exposeFunction('rowsDrawn', () => tell());
  await page.addInitScript(watchRows);
  const found = [];
  // The first one fills the cache of the browser.
  for (let opening = 0; opening <= count; opening += 1) {
    const drawn = new Promise((resolve) => (tell = resolve));
    await page.reload({ waitUntil: 'commit' });
    await drawn;
    await page.waitForTimeout(PAUSE_MS);
    const times = await page.evaluate(() => {
      const entries = performance.getEntriesByType('resource');
      const rows = entries.find(({ name }) => name.includes('/search?'));
      const [document_] = performance.getEntriesByType('navigation');
      const [paint] = performance.getEntriesByName('first-paint');
      const { rowsAt } = globalThis;
      return {
        paint: paint.startTime,
        rows: rowsAt - rows.responseStart,
        all: rowsAt - document_.responseStart,
      };
    });
    if (opening > 0) found.push(times);
  }
  return found;
}

/** From a key to the end of the frame behind it. */
async function typing(page) {
  await editor(page).click();
  await page.waitForTimeout(PAUSE_MS);
  await page.evaluate(() => {
    globalThis.keys = [];
    const { port1, port2 } = new MessageChannel();
    const waiting = [];
    port1.onmessage = () => globalThis.keys.push(performance.now() - waiting.shift());
    addEventListener('keydown', (event) => {
      waiting.push(event.timeStamp);
      requestAnimationFrame(() => port2.postMessage(null));
    }, true);
  });
  await page.keyboard.type('program:nginx upstream timed out', { delay: 40 });
  await page.waitForTimeout(PAUSE_MS);
  return page.evaluate(() => globalThis.keys);
}

/** The heap of the script, and the process of the page, in MB. */
async function memory(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const processes = (await browser.processes()).filter(({ type }) => type === 'renderer');
  const statuses = processes.map(({ id }) => processStatus(id));
  // The browser keeps a spare one; the page is in the larger.
  const { own, all } = statuses.toSorted((a, b) => b.all - a.all)[0];
  return { heap: usedSize / 1e6, own, all };
}

/** Memory of a process in MB: what it has to itself, and with what it shares with others. */
function processStatus(id) {
  const status = readFileSync(`/proc/${id}/status`, 'utf8');
  const megabytes = (name) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024) / 1e6;
  return { own: megabytes('RssAnon') + megabytes('VmSwap'), all: megabytes('VmRSS') };
}

function told({ heap, own, all }) {
  return `heap ${heap.toFixed(1)} MB, process ${own.toFixed(0)} MB, ${all.toFixed(0)} MB with what it shares`;
}

/** Seconds that the page has worked. */
async function worked(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}

async function tail(page, server) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  console.log(`before the tail        ${told(await memory(session))}`);
  await page.getByTestId('tail').click();
  await page.locator('[data-testid="tail"][data-state="live"]').waitFor();
  const connection = await server.connect();
  const start = Date.now();
  const workedBefore = await worked(session);
  let sent = 0;
  let most = { heap: 0, own: 0, all: 0 };
  for (let batch = 1; batch <= minutes * 60 * BATCHES_PER_SECOND; batch += 1) {
    await page.waitForTimeout(Math.max(start + (batch * 1000) / BATCHES_PER_SECOND - Date.now(), 0));
    const lines = logs(RATE / BATCHES_PER_SECOND);
    await connection.write(lines);
    sent += lines.length;
    if (batch % (60 * BATCHES_PER_SECOND) !== 0) continue;
    const now = await memory(session);
    most = Object.fromEntries(Object.keys(most).map((name) => [name, Math.max(most[name], now[name])]));
    console.log(`minute ${String(batch / 60 / BATCHES_PER_SECOND).padEnd(16)}${told(now)}`);
  }
  const seconds = (Date.now() - start) / 1000;
  const busy = (await worked(session)) - workedBefore;
  connection.end();
  const dropped = await page.getByTestId('tail-dropped').allTextContents();
  console.log(`tail                   ${sent} records in ${(seconds / 60).toFixed(1)} min, ${dropped[0] ?? 'none left out'}`);
  console.log(`the page worked        ${((busy / seconds) * 100).toFixed(0)} % of the time`);
  console.log(`at most                ${told(most)}`);
}

/** Median and longest, in a line. */
function line(name, numbers) {
  const longest = Math.max(...numbers);
  console.log(`${name.padEnd(29)}${median(numbers).toFixed(1)} ms, at most ${longest.toFixed(1)} ms`);
}

/** Types into the page of a browser of its own. */
async function typingIn(name, args) {
  const other = new Browser(server, args);
  try {
    await other.start();
    await other.onPage(async (page) => {
      await firstRow(page).waitFor();
      line(name, await typing(page));
    });
  } finally {
    await other.stop();
  }
}

const server = new Server();
const browser = new Browser(server);
try {
  await Promise.all([server.start(), browser.start()]);
  await server.load(logs(RECORDS));
  await browser.onPage(async (page) => {
    const found = await openings(page, OPENINGS);
    line('first paint', found.map(({ paint }) => paint));
    line('rows after their first byte', found.map(({ rows }) => rows));
    line('rows after the page\'s first', found.map(({ all }) => all));
  });
  await typingIn('typing', ['--disable-frame-rate-limit']);
  await typingIn('typing at 60 Hz', []);
  await browser.onPage(
    async (page) => {
      const session = await page.context().newCDPSession(page);
      console.log(`an empty page                ${told(await memory(session))}`);
    },
    { url: 'about:blank', path: '' },
  );
  if (minutes > 0) {
    await browser.onPage(async (page) => {
      await firstRow(page).waitFor();
      await tail(page, server);
    });
  }
} finally {
  await browser.stop();
  await server.stop();
}
