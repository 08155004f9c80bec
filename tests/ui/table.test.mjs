// Questions with a pipe, and what messages have in common: tables that lead back to records.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { editor, firstRow, search, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 5_000;
const KINDS = 5;

const { server, onPage } = site((started) => started.load(logs(RECORDS)));

const rows = (page) => page.getByTestId('table-row');

/** The question of the page, and the text of each cell of its table. */
async function told(page) {
  const cells = await rows(page).evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
  );
  return { q: new URL(page.url()).searchParams.get('q'), cells };
}

/** Runs a question and waits for its table. */
async function ask(page, question) {
  await search(page, question);
  await page.waitForFunction((q) => new URL(location.href).searchParams.get('q') === q, question);
  await rows(page).first().waitFor();
  await page.locator('[data-testid="table"][aria-busy="false"]').waitFor();
}

test('a question with a pipe shows its table, sorted by a click on a header', () =>
  onPage(async (page) => {
    await ask(page, 'program:nginx | count by host, severity');
    const answer = await server.ask('query', { q: 'program:nginx | count by host, severity' });
    const { cells } = await told(page);
    assert.deepEqual(
      cells.map(([host, severity, count]) => [host, severity, Number(count.replaceAll(',', ''))]),
      answer.rows,
    );
    await waitForTotal(page, (RECORDS * 2) / 5);
    await page.getByTestId('sort-host').click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await page.getByTestId('sort-host').click();
    await page.locator('th[aria-sort="descending"]').waitFor();
    const after = await told(page);
    assert.equal(after.q, 'program:nginx | count by host, severity | sort host desc');
    const hosts = after.cells.map(([host]) => host);
    assert.deepEqual(hosts, hosts.toSorted().reverse());
    await shot(page, 'table');
  }));

test('a value of a table narrows the question, and the table stays', () =>
  onPage(async (page) => {
    await ask(page, '| count by host, program');
    const row = rows(page).filter({ hasText: 'kernel' }).first();
    const host = await row.locator('td').first().textContent();
    await row.hover();
    await row.getByTestId('include').nth(1).click();
    await page.waitForFunction(() => !document.querySelector('[data-testid="table"]').textContent.includes('sshd'));
    const { q } = await told(page);
    assert.equal(q, 'program:="kernel" | count by host, program');
    await waitForTotal(page, RECORDS / KINDS);
    await rows(page).first().hover();
    await rows(page).first().getByTestId('exclude').first().click();
    await page.waitForURL(/NOT/);
    assert.match((await told(page)).q, /^program:="kernel" NOT host:="\w+" \| count by host, program$/);
    assert.ok(host);
    // The records themselves.
    await page.getByTestId('show-records').click();
    await firstRow(page).waitFor();
    assert.match(await firstRow(page).textContent(), /UFW BLOCK/);
  }));

test('bars are a table too, and lead into their time', () =>
  onPage(async (page) => {
    await ask(page, 'program:app | bars 10');
    const { rows: bars } = await server.ask('query', { q: 'program:app | bars 10' });
    await rows(page).nth(3).getByTestId('table-start').click();
    await page.waitForURL(/from=.*to=/);
    await waitForTotal(page, bars[3][1]);
  }));

test('a list of records has the columns that were asked for, as a file as well', () =>
  onPage(async (page) => {
    await ask(page, 'declined | fields id, host, pid | sort host | head 7');
    const { cells } = await told(page);
    assert.equal(cells.length, 7);
    assert.match(cells[0][0], /^main:\d+$/);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('table-csv').click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8').trim().split('\r\n');
    assert.deepEqual(lines, ['id,host,pid', ...cells.map((row) => row.join(','))]);
    await rows(page).first().getByRole('link').click();
    await page.getByTestId('details').or(page.getByTestId('pinned')).first().waitFor();
  }));

test('a long table is cut, and goes on', () =>
  onPage(async (page) => {
    await ask(page, '| fields id');
    assert.equal(await rows(page).count(), 100);
    await page.getByRole('button', { name: 'Show 1,000' }).click();
    await rows(page).nth(999).waitFor();
  }));

test('a mistake behind the pipe is told at its place, and commands are coloured', () =>
  onPage(async (page) => {
    await search(page, 'failed | tpo host');
    await page.getByTestId('error').waitFor();
    assert.match(await page.getByTestId('error').textContent(), /top/);
    await search(page, 'failed | top host');
    await page.getByTestId('error').waitFor({ state: 'detached' });
    await rows(page).first().waitFor();
    assert.equal(await page.locator('.query-command').textContent(), 'top');
  }));

test('commands and the fields behind them are completed', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    await editor(page).click();
    await page.keyboard.type('failed | pat');
    const list = page.locator('.query-completions li');
    await list.filter({ hasText: 'patterns [N]' }).waitFor();
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('to');
    await list.filter({ hasText: 'top FIELD' }).waitFor();
    await shot(page, 'completion-pipe');
    await page.keyboard.press('Tab');
    await list.filter({ hasText: 'program' }).waitFor();
    await page.keyboard.type('pro');
    await list.filter({ hasText: 'host' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await rows(page).first().waitFor();
    assert.deepEqual((await told(page)).cells, [['sshd', '1,000', '100.0 %']]);
  }));

test('patterns say what messages have in common, how often and when, and find them', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    const questions = [];
    page.on('request', (request) => questions.push(new URL(request.url()).pathname));
    await page.getByTestId('show-patterns').click();
    const patterns = page.getByTestId('pattern-row');
    await patterns.nth(KINDS - 1).waitFor();
    const { rows: wanted } = await server.ask('query', { q: '| patterns 50 bars 40' });
    assert.equal(await patterns.count(), wanted.length);
    const row = patterns.filter({ hasText: 'UFW BLOCK' });
    assert.match(await row.textContent(), /1,000\s*20\.0 %/);
    await page.waitForFunction(() => {
      const lines = [...document.querySelectorAll('[data-testid="pattern-row"] path')];
      return lines.every((line) => line.getAttribute('d') !== '');
    });
    // One answer has the lines of all of them.
    assert.equal(questions.filter((path) => path === '/api/v1/query').length, 1);
    assert.equal(questions.filter((path) => path === '/api/v1/histogram').length, 1);
    await shot(page, 'patterns');
    await row.getByTestId('pattern').click();
    await waitForTotal(page, RECORDS / KINDS);
    assert.match(new URL(page.url()).searchParams.get('q'), /^pattern:"\[UFW BLOCK\] .*<\*>.*"$/);
    assert.match(await firstRow(page).textContent(), /UFW BLOCK/);
    await page.goBack();
    await patterns.first().waitFor();
  }));

test('a new kind of message stands first among the new ones', async () => {
  await server.send(['<13>1 - web1 app 1 - - a thing never said before']);
  await server.waitForRecords(RECORDS + 1);
  await onPage(
    async (page) => {
      await page.getByTestId('pattern-row').first().waitFor();
      let letGo;
      const held = new Promise((resolve) => (letGo = resolve));
      await page.route(/query\?.*sort/, async (route) => {
        await held;
        await route.continue();
      });
      const newFirst = page.getByRole('button', { name: 'New first' });
      await newFirst.click();
      // Until the answer is there, the patterns of the one before stand under no age.
      await page.locator('[data-testid="table"][aria-busy="true"]').waitFor();
      assert.equal(await newFirst.getAttribute('aria-pressed'), 'true');
      assert.equal(await page.getByText('New in the last hour').count(), 0);
      letGo();
      const first = page.getByTestId('pattern-row').first();
      await first.filter({ hasText: 'New in the last hour' }).waitFor();
      assert.match(await first.textContent(), /a thing never said before/);
      await shot(page, 'patterns-new');
    },
    { path: '/search?q=|patterns' },
  );
});
