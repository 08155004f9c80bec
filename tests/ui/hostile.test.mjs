// Hostile texts in every field and every parameter of the address are only ever text.
//
// A script that runs calls `pwned`, which the test counts; one that the content policy stops is
// logged by the browser as an error, which fails the test as well.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { editor, firstRow, shot } from './browser.mjs';
import { PAYLOADS } from './hostile.mjs';
import { site } from './site.mjs';

/** How many of the payloads go through the address, each in all parameters at once. */
const ADDRESSES = 25;

/** A payload as a value of structured data. */
function quoted(text) {
  return text.replace(/["\\\]]/g, '\\$&').replace(/[\0\n\r]/g, ' ');
}

const { server, onPage: onAnyPage } = site(async (started) => {
  const records = PAYLOADS.map((text) => ({ message: text, host: text, program: text, pid: text, msgid: text }));
  await started.post('ingest?format=ndjson', records.map((each) => JSON.stringify(each)).join('\n'));
  await started.send(PAYLOADS.map((text) => `<11>1 - h p 1 - [x@1 v="${quoted(text)}"] ${quoted(text)}`));
  await started.waitForRecords(2 * PAYLOADS.length);
});

/** A page on which nothing may run and no element of a record may stand. */
function onPage(path, use, options = {}) {
  return onAnyPage(
    async (page) => {
      let ran = 0;
      page.on('dialog', (dialog) => {
        ran += 1;
        void dialog.dismiss();
      });
      await page.exposeFunction('pwned', () => (ran += 1));
      await page.reload();
      await use(page);
      const foreign = await page.evaluate(() => {
        // The query editor itself puts an empty image beside its placeholder.
        const tags = 'img:not(.cm-widgetBuffer), iframe, object, embed, video, base, body style, template';
        const scripts = [...document.scripts].filter((each) => !each.src.endsWith('/app.js'));
        const links = [...document.querySelectorAll('a')].filter((each) => each.protocol === 'javascript:');
        return [...document.querySelectorAll(tags), ...scripts, ...links].map((each) => each.outerHTML);
      });
      assert.deepEqual(foreign, []);
      assert.equal(ran, 0);
      assert.equal(new URL(page.url()).origin, new URL(server.url).origin);
    },
    { path, ...options },
  );
}

test('there are 500 hostile texts', () => assert.equal(new Set(PAYLOADS).size, 500));

test('rows and details of hostile records are text', () =>
  onPage('/search?cols=host,program,pid,msgid,x@1.v', async (page) => {
    await firstRow(page).waitFor();
    await shot(page, 'hostile');
    await page.keyboard.press('w');
    await page.getByTestId('rows').focus();
    for (let row = 0; row < 2 * PAYLOADS.length; row += 1) {
      await page.keyboard.press('ArrowDown');
      if (row % 8 > 0) continue;
      await page.keyboard.press('Enter');
      await page.getByTestId('details').waitFor();
      await page.keyboard.press('Escape');
    }
    // The list has been walked through to its end.
    await page.waitForFunction(() => {
      const list = document.querySelector('[data-testid="rows"]');
      return list.scrollTop + list.clientHeight > list.scrollHeight - 60;
    });
  }));

for (const by of ['host', 'program', 'x@1.v']) {
  test(`fields, statistics and legends of hostile values of ${by} are text`, () =>
    onPage(`/search?q=|count by ${by}&split=${by}`, async (page) => {
      await page.getByTestId('table-row').first().waitFor();
      await page.getByTestId('legend-value').first().waitFor();
      await page.getByRole('button', { name: /^Show / }).first().click();
      await page.getByTestId('table-row').nth(200).waitFor();
      await page.getByTestId('facet-value').first().waitFor();
      const before = page.url();
      await page.getByTestId('table-row').nth(7).getByTestId('include').click();
      await page.waitForURL((url) => url.href !== before);
      await page.getByTestId('table-row').first().waitFor();
    }));
}

test('lists and patterns of hostile messages are text', async () => {
  await onPage('/search?q=|fields host,program,x@1.v,message', async (page) => {
    await page.getByTestId('table-row').nth(50).waitFor();
    await page.getByRole('button', { name: 'Show 1,000' }).click();
    await page.getByTestId('table-row').nth(900).waitFor();
  });
  await onPage('/search?q=|patterns 1000', async (page) => {
    await page.getByTestId('pattern-row').nth(50).waitFor();
    await shot(page, 'hostile-patterns');
    await page.getByTestId('pattern').nth(5).click();
    await page.getByTestId('pattern').first().waitFor({ state: 'detached' });
    await page.getByTestId('run').waitFor();
  });
});

test('completions of hostile values are text', () =>
  onPage('/', async (page) => {
    await firstRow(page).waitFor();
    await editor(page).click();
    await page.keyboard.type('host:');
    await page.locator('.query-completions li').nth(20).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await firstRow(page).waitFor();
    await page.getByTestId('searches').click();
    await page.getByTestId('history-query').first().waitFor();
    for (const name of PAYLOADS.filter((text) => /^[ -~]{1,100}$/.test(text) && text.trim() === text).slice(0, 20)) {
      await page.getByTestId('save-name').fill(name);
      await page.getByTestId('save').click();
      await page.getByTestId('saved-search').filter({ hasText: name }).first().waitFor();
    }
  }));

test('hostile addresses are text', () =>
  onPage(
    '/',
    async (page) => {
      const step = PAYLOADS.length / ADDRESSES;
      for (let at = 0; at < PAYLOADS.length; at += step + 1) {
        const names = ['q', 'from', 'to', 'logspace', 'tz', 'cols', 'split', 'around', 'at'];
        for (const chosen of [names, ['q'], ['cols'], ['at']]) {
          const params = new URLSearchParams(chosen.map((name) => [name, PAYLOADS[at]]));
          await page.evaluate((search) => {
            history.pushState(null, '', `/search?${search}`);
            dispatchEvent(new PopStateEvent('popstate'));
          }, params.toString());
          await page.waitForFunction(() => !document.querySelector('[data-testid="stop"]'));
        }
      }
    },
    // There is no such logspace and no such record.
    { expected: /status of 40[04] \(/ },
  ));
