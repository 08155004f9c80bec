// Measures the page in Chromium on a demonstration, and prints a table:
//
//   LOGWOOD_BIN=target/release/logwood node tests/ui/figures.mjs [minutes of tail]
//
// First paint and rows are the median of several openings; typing is the longest time from a key to
// the frame that shows it; memory is the script's heap after a tail at 2,000 records a second.

import process from 'node:process';

import { Browser, firstRow } from './browser.mjs';
import { logs } from './logs.mjs';
import { Server } from './server.mjs';

const OPENINGS = 7;
const RATE = 2_000;
const BATCHES_PER_SECOND = 10;
const RECORDS = 50_000;

const minutes = Number(process.argv[2] ?? 1);

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

/** The heap in MB after garbage has been collected. */
async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

async function tail(page, server) {
  await page.getByTestId('tail').click();
  await page.locator('[data-testid="tail"][data-state="live"]').waitFor();
  const lines = logs(RATE / BATCHES_PER_SECOND);
  const end = Date.now() + minutes * 60_000;
  let sent = 0;
  for (let next = Date.now(); next < end; next += 1000 / BATCHES_PER_SECOND) {
    await page.waitForTimeout(Math.max(next - Date.now(), 0));
    await server.send(lines);
    sent += lines.length;
  }
  return sent;
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
  await browser.onPage(async (page) => {
    await firstRow(page).waitFor();
    const before = await heap(page);
    const sent = await tail(page, server);
    const after = await heap(page);
    const dropped = await page.getByTestId('tail-dropped').allTextContents();
    console.log(`tail                   ${sent} records in ${minutes} min, ${dropped[0] ?? 'none left out'}`);
    console.log(`heap                   ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`);
  });
} finally {
  await browser.stop();
  await server.stop();
}
