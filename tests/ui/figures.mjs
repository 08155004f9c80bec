// Measures the page in Chromium on a demonstration, and prints a table:
//
//   LOGWOOD_BIN=target/release/logwood node tests/ui/figures.mjs [--tail-minutes 60]
//
// First paint and rows are the median of several openings; typing is the longest time from a key to
// the frame that shows it. Memory is that of a page with the tail at 2,000 records a second, once a
// minute: the script's heap after garbage has been collected, and what the process of the page has
// to itself and in all, as Chromium's task manager and `ps` tell it.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Browser, firstRow } from './browser.mjs';
import { logs } from './logs.mjs';
import { Server } from './server.mjs';

const OPENINGS = 7;
const RATE = 2_000;
const BATCHES_PER_SECOND = 10;
const RECORDS = 50_000;

const flags = parseArgs({ options: { 'tail-minutes': { type: 'string', default: '1' } } });
const minutes = Number(flags.values['tail-minutes']);
if (!(minutes > 0)) throw new Error('--tail-minutes is a number of minutes above 0');

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** From the request of the page to its first paint, and from the rows' first byte to their frame. */
async function opening(page) {
  await firstRow(page).waitFor();
  return page.evaluate(async () => {
    const rows = performance.getEntriesByType('resource').find(({ name }) => name.includes('/search?'));
    const paint = performance.getEntriesByName('first-paint')[0];
    return { paint: paint.startTime, rows: globalThis.rowsAt - rows.responseStart };
  });
}

/** Notes when the first row has been drawn, from within the page. */
function watchRows() {
  const look = () => {
    if (document.querySelector('[data-testid="row"]')) globalThis.rowsAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}

/** The longest time from a key to the frame behind it. */
async function typing(page) {
  await page.getByTestId('query').click();
  await page.evaluate(() => {
    globalThis.keys = [];
    addEventListener('keydown', () => {
      const pressed = performance.now();
      requestAnimationFrame(() => globalThis.keys.push(performance.now() - pressed));
    }, true);
  });
  await page.keyboard.type('program:nginx upstream timed out', { delay: 40 });
  return page.evaluate(() => {
    const sorted = globalThis.keys.toSorted((a, b) => a - b);
    return { median: sorted[Math.floor(sorted.length / 2)], longest: sorted.at(-1) };
  });
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

const server = new Server();
const browser = new Browser(server);
try {
  await Promise.all([server.start(), browser.start()]);
  await server.load(logs(RECORDS));
  const openings = [];
  for (let count = 0; count < OPENINGS; count += 1) {
    await browser.onPage(async (page) => {
      await page.addInitScript(watchRows);
      await page.reload();
      openings.push(await opening(page));
    });
  }
  const ms = (number) => `${number.toFixed(0)} ms`;
  console.log(`first paint            ${ms(median(openings.map(({ paint }) => paint)))}`);
  console.log(`rows after first byte  ${ms(median(openings.map(({ rows }) => rows)))}`);
  await browser.onPage(async (page) => {
    await firstRow(page).waitFor();
    const typed = await typing(page);
    console.log(`typing                 ${ms(typed.median)}, at most ${ms(typed.longest)}`);
  });
  await browser.onPage(
    async (page) => {
      const session = await page.context().newCDPSession(page);
      console.log(`an empty page          ${told(await memory(session))}`);
    },
    { url: 'about:blank', path: '' },
  );
  await browser.onPage(async (page) => {
    await firstRow(page).waitFor();
    await tail(page, server);
  });
} finally {
  await browser.stop();
  await server.stop();
}
