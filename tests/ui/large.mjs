// Opens the page of a server that runs, as one with many records, and tells for each query when its
// rows were drawn and when each of its answers was there, after the first byte of the page:
//
//   node tests/ui/large.mjs --url http://127.0.0.1:8514 --query sshd --query '"timed out"'
//
// The page looks at all times. What was asked before the server remembers, so each query is to be a
// new one; the browser's cache is filled by a page without a query first, and not by their answers.

import process from 'node:process';
import { parseArgs } from 'node:util';

import { Browser } from './browser.mjs';
import { watchRows } from './drawn.mjs';

const { url, query: queries } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8514' },
    query: { type: 'string', multiple: true, default: [] },
  },
}).values;

/** How long the answers to one query may take, those of the fields included. */
const ANSWERS_MS_MAX = 300_000;

let tellDrawn;

/** The answers that the page asked for: their names and when they were there, in milliseconds. */
function answers() {
  const [{ responseStart }] = performance.getEntriesByType('navigation');
  const entries = performance.getEntriesByType('resource');
  const asked = entries.filter(({ name }) => name.includes('/api/v1/'));
  return {
    rows: globalThis.rowsAt - responseStart,
    ends: asked.map(({ name, responseEnd }) => {
      const { pathname, searchParams } = new URL(name);
      const words = [pathname.split('/').at(-1), searchParams.get('by')];
      return { name: words.filter(Boolean).join(' '), end: responseEnd - responseStart };
    }),
    total: document.querySelector('[data-testid="total"]')?.textContent?.trim() ?? '',
  };
}

async function open(page, query) {
  const drawn = new Promise((resolve) => (tellDrawn = resolve));
  await page.goto(`${url}/search?${new URLSearchParams({ q: query, from: '', to: '' })}`);
  await drawn;
  await page.waitForLoadState('networkidle', { timeout: ANSWERS_MS_MAX });
  const { rows, ends, total } = await page.evaluate(answers);
  const told = ends.map(({ name, end }) => `${name} ${end.toFixed(0)}`).join(', ');
  console.log(`${query || '(all)'}: ${total}; rows drawn ${rows.toFixed(0)} ms; ${told}`);
}

const browser = new Browser({ url });
try {
  await browser.start();
  await browser.onPage(
    async (page) => {
      await page.exposeFunction('rowsDrawn', () => tellDrawn());
      await page.addInitScript(watchRows);
      for (const query of ['', ...queries]) await open(page, query);
    },
    { url: 'about:blank', path: '' },
  );
} catch (error) {
  console.error(`large: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.stop();
}
