// The histogram: in every zone, by mouse and keyboard, as a table, and while it is being counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { editor, firstRow, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 5_000;

const { server, onPage } = site(async (started) => {
  await started.load(logs(RECORDS));
});

const parameters = (page) => new URL(page.url()).searchParams;

/** What the server counts between the times of the address. */
async function countOf(page) {
  const [q, from, to] = ['q', 'from', 'to'].map((name) => parameters(page).get(name) ?? '');
  return (await server.ask('count', { q, from, to })).count;
}

test('a screen reader has the bars as a table, with the counts of the server', () =>
  onPage(async (page) => {
    await waitForTotal(page, RECORDS);
    const table = page.locator('table', { has: page.locator('caption', { hasText: 'by time of receipt' }) });
    const told = await table.locator('td').allTextContents();
    const { bars } = await server.ask('histogram', { bars: told.length });
    assert.ok(told.length > 20, `${told.length} bars`);
    assert.deepEqual(told.map(Number), bars.map(({ count }) => count));
    assert.match((await table.locator('th').allTextContents())[0], /\d\d:\d\d/);
  }));

test('a click on a bar zooms into it, and back leads out', () =>
  onPage(
    async (page) => {
      await waitForTotal(page, RECORDS / 5);
      const box = await page.getByTestId('histogram').boundingBox();
      await page.mouse.click(box.x + box.width * 0.3, box.y + box.height / 2);
      await page.waitForURL(/from=.*to=/);
      const count = await countOf(page);
      assert.ok(count > 0 && count < RECORDS / 20, `${count}`);
      await waitForTotal(page, count);
      await page.goBack();
      await waitForTotal(page, RECORDS / 5);
    },
    { path: '/search?q=program:sshd' },
  ));

test('keys choose bars, tell what they are, zoom, and move the window', () =>
  onPage(async (page) => {
    await waitForTotal(page, RECORDS);
    const chart = page.getByTestId('histogram');
    await chart.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    const told = await chart.getAttribute('aria-valuetext');
    assert.match(told, /^\d+ records, /);
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=.*to=/);
    const count = await countOf(page);
    assert.equal(count, Number(/^\d+/.exec(told)[0]));
    await waitForTotal(page, count);
    const { from, to } = Object.fromEntries(parameters(page));
    await page.keyboard.press('Escape');
    await page.keyboard.press(']');
    await page.waitForURL((url) => url.searchParams.get('from') > from);
    assert.ok(parameters(page).get('to') > to);
    await page.keyboard.press('-');
    await waitForTotal(page, await countOf(page));
  }));

test('in another zone, rows, axis and a brush tell the same times', () =>
  onPage(
    async (page) => {
      await waitForTotal(page, RECORDS);
      await page.getByTestId('span').filter({ hasText: 'UTC+05:30' }).waitFor();
      const row = await firstRow(page).textContent();
      const { time } = JSON.parse((await (await fetch(`${server.url}/api/v1/search?limit=1`)).text()).split('\n')[0]).row;
      const there = new Date(Date.parse(time) + 5.5 * 3_600_000).toISOString().slice(11, 19);
      assert.ok(row.includes(there), `${row} instead of ${there}`);
      const box = await page.getByTestId('histogram').boundingBox();
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.5, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, middle, { steps: 3 });
      await page.mouse.up();
      await page.waitForURL(/from=.*to=/);
      const count = await countOf(page);
      assert.ok(count > RECORDS / 10 && count < RECORDS / 2, `${count}`);
      await waitForTotal(page, count);
      await page.getByTestId('zone').click();
      await page.waitForURL(/tz=utc/);
      await page.getByTestId('span').filter({ hasText: 'UTC' }).waitFor();
      await waitForTotal(page, count);
    },
    { timezoneId: 'Asia/Kolkata' },
  ));

test('bars that take long to count are shown as they grow', async () => {
  const long = 'ab'.repeat(120);
  const lines = logs(60_000).map((line) => `${line} ${long}`);
  for (let part = 0; part < 6; part += 1) await server.load(lines.slice(part * 10_000, (part + 1) * 10_000));
  await onPage(async (page) => {
    // Notes every total while it is being counted.
    await page.evaluate(() => {
      globalThis.growing = [];
      new MutationObserver(() => {
        const told = document.querySelector('[data-testid="total-of"]')?.textContent ?? '';
        const total = document.querySelector('[data-testid="total"]')?.textContent ?? '';
        if (told.includes('so far')) globalThis.growing.push(Number(total.replace(/\D/g, '')));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await editor(page).click();
    // So many that counting takes long on any machine.
    const slow = Array.from({ length: 12 }, (_, more) => `/(a|b)*.(ab){${80 + more},}$/`);
    await page.keyboard.type(slow.join(' '));
    await page.keyboard.press('Enter');
    await waitForTotal(page, 60_000);
    await page.getByTestId('total-of').filter({ hasNotText: 'so far' }).waitFor();
    const growing = await page.evaluate(() => globalThis.growing);
    assert.ok(growing.length > 0, 'nothing was shown before the end');
    assert.deepEqual(growing, growing.toSorted((a, b) => a - b));
    assert.ok(growing.at(-1) <= 60_000, `${growing}`);
    await shot(page, 'grown');
  });
});
