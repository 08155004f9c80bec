// Rows: selecting is no click, what cannot be seen is shown, links go nowhere, every value filters.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { editor, firstRow, search, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 2_000;
const OVERRIDE = '\u202e';
const ODD = `see http://example.com/a?b=1 and javascript:alert(1) \x1b[31mred\x1b[0m ${OVERRIDE}gnp.exe`;

const { server, onPage } = site(async (started) => {
  await started.load(logs(RECORDS));
  await started.send([`<11>1 - odd1 links 1 - [shop@1 basket="7"] ${ODD}`, '<11>1 - odd1 bytes 1 - - caf\xe9']);
});

test('selecting text opens nothing, and copies clean lines', () =>
  onPage(
    async (page) => {
      await firstRow(page).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const from = await page.getByTestId('row').nth(1).boundingBox();
      const to = await page.getByTestId('row').nth(3).boundingBox();
      await page.mouse.move(from.x + 320, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(from.x + 400, from.y + from.height, { steps: 4 });
      await page.mouse.move(to.x + to.width - 40, to.y + to.height / 2, { steps: 4 });
      await page.mouse.up();
      assert.equal(await page.getByTestId('details').count(), 0);
      await page.keyboard.press('ControlOrMeta+c');
      const text = await page.evaluate(() => navigator.clipboard.readText());
      const lines = text.trim().split('\n');
      assert.equal(lines.length, 3, text);
      for (const line of lines) assert.match(line, /^20\d\d-.*sshd.*Failed password/);
      // A click without a selection does open.
      await page.mouse.click(from.x + 600, from.y + 400);
      await page.mouse.click(from.x + 600, from.y + 400);
      await page.getByTestId('details').waitFor();
    },
    { path: '/search?q=program:sshd' },
  ));

test('control and bidirectional characters are shown, and links are text', () =>
  onPage(
    async (page) => {
      await waitForTotal(page, 1);
      await firstRow(page).click();
      await page.getByTestId('details').getByTestId('raw').getByText('<11>').first().waitFor();
      const told = await page.locator('main').innerText();
      assert.ok(told.includes('\\x1b'), told);
      assert.ok(told.includes('\\u{202e}'), told);
      assert.ok(!told.includes(OVERRIDE) && !told.includes('\x1b'));
      const links = await page.locator('[data-testid="row"] a, [data-testid="details"] a').evaluateAll((all) =>
        all.map((link) => link.getAttribute('href')),
      );
      for (const href of links) assert.match(href, /^\//);
      const { host } = new URL(server.url);
      await page.getByTestId('row').getByText('http://example.com').click();
      assert.equal(new URL(page.url()).host, host);
      await shot(page, 'unseen');
    },
    { path: '/search?q=program:links' },
  ));

test('the policy of the page allows no script and no style of others', async () => {
  const answer = await fetch(`${server.url}/search`);
  const policy = answer.headers.get('content-security-policy');
  assert.match(policy, /default-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|\*|data:|http/);
});

test('a field of the details includes, excludes, and becomes a column', () =>
  onPage(
    async (page) => {
      await waitForTotal(page, 1);
      await firstRow(page).click();
      const field = page.getByTestId('field').filter({ hasText: 'basket' });
      await field.getByRole('button', { name: /^Column/ }).click();
      await page.getByRole('columnheader', { name: 'shop@1.basket' }).waitFor();
      await page.waitForURL(/cols=.*basket/);
      await field.getByTestId('include').click();
      await page.waitForURL(/q=program:links\+shop/);
      await waitForTotal(page, 1);
      await firstRow(page).click();
      await page.getByTestId('field').filter({ hasText: 'basket' }).getByTestId('exclude').click();
      await waitForTotal(page, 0);
    },
    { path: '/search?q=program:links' },
  ));

test('rows are dense where they shall be, and stay so', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    const height = async () => (await firstRow(page).boundingBox()).height;
    const usual = await height();
    await page.getByTestId('columns').click();
    await page.getByLabel(/dense/i).check();
    await page.keyboard.press('Escape');
    assert.ok((await height()) < usual);
    await page.reload();
    await firstRow(page).waitFor();
    assert.ok((await height()) < usual);
  }));

test('a link to a record opens it among its neighbours', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    const link = page.getByTestId('details').getByTestId('permalink');
    const [id, href] = [await link.textContent(), await link.getAttribute('href')];
    await page.goto(new URL(href, server.url).href);
    await page.getByTestId('details').waitFor();
    assert.equal(await page.getByTestId('details').getByTestId('permalink').textContent(), id);
    assert.ok((await page.getByTestId('row').count()) > 1);
  }));

test('plain text that is no query is searched as a phrase', () =>
  onPage(async (page) => {
    await search(page, '[UFW BLOCK] IN=eth0 (');
    await page.getByTestId('error').waitFor();
    await page.getByTestId('search-phrase').click();
    await page.waitForFunction(() => new URL(location.href).searchParams.get('q')?.startsWith('"'));
    await page.getByTestId('error').waitFor({ state: 'detached' });
  }));

test('a mistake behind other letters than ASCII is told at its own character', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    await editor(page).click();
    await page.keyboard.type('caf\u00e9 \u65e5\u672c\u8a9e sevrity:<=err');
    const mark = page.locator('.query-error, .query-warning');
    await page.getByTestId('error').waitFor();
    assert.ok((await mark.count()) > 0, await page.getByTestId('query').innerHTML());
    assert.match((await mark.allTextContents()).join(''), /sevrity/);
  }));
