// The page as a person uses it: search, mistakes, zoom, details, live tail, dark and light.
//
// Every test also fails on an error of the script or a breach of the content security policy.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { firstRow, search, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { Server } from './server.mjs';
import { site } from './site.mjs';

const RECORDS = 5_000;

const { server, onPage } = site((started) => started.load(logs(RECORDS)));

test('a search shows how many match and the newest of them', () =>
  onPage(async (page) => {
    await search(page, 'program:sshd');
    await waitForTotal(page, RECORDS / 5);
    const rows = await page.getByTestId('row').allTextContents();
    assert.ok(rows.length > 10, `${rows.length} rows`);
    for (const row of rows) assert.match(row, /sshd.*Failed password/s);
    await shot(page, 'search');
  }));

test('a URL is a search', () =>
  onPage(
    async (page) => {
      await waitForTotal(page, RECORDS / 5);
      assert.match(await firstRow(page).textContent(), /UFW BLOCK/);
    },
    { path: '/search?q=%22UFW%20BLOCK%22' },
  ));

test('a mistake is told under the query, at its place, before it is run', () =>
  onPage(async (page) => {
    await search(page, 'program:sshd AND (failed OR');
    const error = page.getByTestId('error');
    await error.waitFor();
    assert.ok((await error.textContent()).trim().length > 10);
    assert.match(await page.getByTestId('query').textContent(), /failed OR/);
    await shot(page, 'error');
    // Mended, the error goes away.
    await search(page, 'program:sshd AND (failed OR denied)');
    await waitForTotal(page, RECORDS / 5);
    await error.waitFor({ state: 'detached' });
  }));

test('a brush over the histogram zooms in time', () =>
  onPage(async (page) => {
    await search(page, 'program:nginx');
    await waitForTotal(page, (RECORDS * 2) / 5);
    const box = await page.getByTestId('histogram').boundingBox();
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, middle, { steps: 4 });
    await page.mouse.move(box.x + box.width * 0.6, middle, { steps: 4 });
    await shot(page, 'brush');
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const { searchParams } = new URL(page.url());
    const range = { q: 'program:nginx', from: searchParams.get('from'), to: searchParams.get('to') };
    const { count } = await server.ask('count', range);
    assert.ok(count > 0 && count < (RECORDS * 2) / 5, `${count}`);
    await waitForTotal(page, count);
    await shot(page, 'zoomed');
    await page.goBack();
    await waitForTotal(page, (RECORDS * 2) / 5);
  }));

test('a row opens to its fields and its raw text', () =>
  onPage(async (page) => {
    await search(page, 'declined');
    await waitForTotal(page, RECORDS / 5);
    await firstRow(page).click();
    const details = page.getByTestId('details');
    await details.waitFor();
    await page.waitForFunction(() => {
      const shown = document.querySelector('[data-testid="details"]')?.textContent ?? '';
      return shown.includes('<131>1 ') && shown.includes('card declined');
    });
    await shot(page, 'details');
    // The open record is part of the URL.
    const copy = page.url();
    await page.goto(copy);
    await details.waitFor();
    assert.match(await details.textContent(), /card declined/);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
  }));

test('the tail shows what comes, and a pill counts it for a reader who has scrolled away', () =>
  onPage(async (page) => {
    await search(page, '');
    await waitForTotal(page, RECORDS);
    await page.getByTestId('tail').click();
    await page.locator('[data-testid="tail"][aria-pressed="true"]').waitFor();
    await server.send(['<13>1 - web9 tailed 1 - - the first live record']);
    await page.getByTestId('row').filter({ hasText: 'the first live record' }).waitFor();
    assert.match(await firstRow(page).textContent(), /the first live record/);
    await shot(page, 'tail');

    await page.getByTestId('rows').hover();
    await page.mouse.wheel(0, 1_500);
    await page.getByTestId('row').filter({ hasText: 'the first live record' }).waitFor({ state: 'detached' });
    await server.send(['<13>1 - web9 tailed 2 - - the second live record']);
    const pill = page.getByTestId('tail-pill');
    await pill.waitFor();
    assert.match(await pill.textContent(), /1 new/);
    await shot(page, 'tail-pill');
    await pill.click();
    await page.getByTestId('row').filter({ hasText: 'the second live record' }).waitFor();
    await pill.waitFor({ state: 'detached' });
    await page.getByTestId('tail').click();
    await page.locator('[data-testid="tail"][aria-pressed="false"]').waitFor();
  }));

function brightness(page) {
  return page.evaluate(() => {
    const color = getComputedStyle(document.body).backgroundColor;
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 3;
  });
}

test('the page follows the system between dark and light', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await onPage(
      async (page) => {
        await search(page, '');
        await firstRow(page).waitFor();
        const isLight = (await brightness(page)) > 128;
        assert.equal(isLight, colorScheme === 'light');
        await shot(page, colorScheme);
      },
      { colorScheme },
    );
  }
});

test('the theme can be chosen, and is remembered', () =>
  onPage(
    async (page) => {
      const theme = page.getByTestId('theme');
      const chosen = () => page.evaluate(() => document.documentElement.dataset.theme ?? 'auto');
      for (let clicks = 0; (await chosen()) !== 'dark'; clicks += 1) {
        assert.ok(clicks < 3, 'no click leads to the dark theme');
        await theme.click();
      }
      assert.ok((await brightness(page)) < 128);
      await page.reload();
      await theme.waitFor();
      assert.equal(await chosen(), 'dark');
    },
    { colorScheme: 'light' },
  ));

test('the range narrows what is searched', () =>
  onPage(async (page) => {
    await search(page, '');
    await page.getByTestId('range').click();
    await page.getByTestId('range-preset-now-15m').click();
    await page.waitForURL(/from=now-15m/);
    await page.waitForFunction((all) => {
      const told = document.querySelector('[data-testid="total"]')?.textContent ?? '';
      const total = Number(told.replace(/\D/g, ''));
      return total > 0 && total < all / 2;
    }, RECORDS);
  }));

test('the page works on a telephone', () =>
  onPage(
    async (page) => {
      await search(page, 'program:sshd');
      await firstRow(page).waitFor();
      const { width, room } = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        room: document.documentElement.clientWidth,
      }));
      assert.ok(width <= room, `${width} px wide on ${room} px`);
      await shot(page, 'telephone');
    },
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  ));

test('a demonstration has something to look at at once', async () => {
  const demo = new Server(['--demo']);
  try {
    await demo.start();
    await onPage(
      async (page) => {
        await firstRow(page).waitFor();
        await page.waitForFunction(() => {
          const told = document.querySelector('[data-testid="status"]')?.textContent ?? '';
          return /[1-9][\d\s,.]* records stored/.test(told);
        });
        await page.getByTestId('tail').click();
        await page.waitForFunction(() => document.querySelectorAll('[data-testid="row"]').length > 10);
        await shot(page, 'demo');
      },
      { url: demo.url },
    );
  } finally {
    await demo.stop();
  }
});

test('the first record of an empty store shows as soon as it is stored', async () => {
  const empty = new Server();
  try {
    await empty.start();
    await onPage(
      async (page) => {
        // Nothing that waits for a second or longer ever happens: the page has to be told.
        await page.addInitScript(() => {
          const { setTimeout, setInterval } = window;
          const isShort = (ms) => !(ms >= 1_000);
          window.setTimeout = (run, ms, ...words) => (isShort(ms) ? setTimeout(run, ms, ...words) : 0);
          window.setInterval = (run, ms, ...words) => (isShort(ms) ? setInterval(run, ms, ...words) : 0);
        });
        const followed = page.waitForResponse((response) => response.url().includes('/api/v1/tail'));
        await page.reload();
        await page.getByTestId('empty').getByText('No records yet').waitFor();
        await followed;
        await empty.send(['<13>1 - web1 first 1 - - the very first']);
        await page.getByTestId('row').filter({ hasText: 'the very first' }).waitFor();
      },
      { url: empty.url },
    );
  } finally {
    await empty.stop();
  }
});
