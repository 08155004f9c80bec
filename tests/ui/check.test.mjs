// The page of checks: a message and a configuration, before either is used; origins in the details.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { firstRow, shot } from './browser.mjs';
import { site } from './site.mjs';

const MESSAGE = '<13>1 2026-11-21T18:00:00Z web1 shop 7 - [order@1 user="Anna \\"A\\""] a \u00fc message';

const { server, onPage } = site((started) => started.load([MESSAGE]), { path: '/check' });

test('a message is taken apart as the server reads it, each part at its place', () =>
  onPage(async (page) => {
    await page.getByTestId('explain-message').fill(MESSAGE);
    const parts = page.getByTestId('explained').locator('tbody tr');
    const host = parts.filter({ hasText: 'host' });
    await host.filter({ hasText: 'web1' }).waitFor();
    assert.match(await host.textContent(), /characters 28 to 31/);
    assert.match(await parts.filter({ hasText: 'order@1.user' }).textContent(), /Anna "A".*unescaped/s);
    await parts.filter({ hasText: 'shop' }).hover();
    assert.equal(await page.getByTestId('explain-raw').locator('mark').textContent(), 'shop');
    const decisions = page.getByTestId('explain-decisions').locator('tbody tr');
    assert.match(await decisions.filter({ hasText: 'framing' }).textContent(), /the end of the text/);
    assert.match(await decisions.filter({ hasText: 'header' }).textContent(), /RFC 5424/);
    assert.match(await decisions.filter({ hasText: 'goes to' }).textContent(), /main/);
    await shot(page, 'explain');
    assert.equal((await server.ask('count', {})).count, 1, 'nothing is stored');
  }));

test('a stream is cut into its messages as the chosen source does', () =>
  onPage(async (page) => {
    await page.getByTestId('explain-message').fill('9 <13>a b c<13>Oct 11 22:14:15 h p: x\n');
    const framings = page.getByTestId('explain-decisions').locator('tr').filter({ hasText: 'framing' });
    await framings.filter({ hasText: 'octet count 9' }).waitFor();
    assert.equal(await framings.count(), 2);
    const times = page.getByTestId('explain-decisions').locator('tr').filter({ hasText: 'time' });
    assert.match(await times.nth(0).textContent(), /there is no time stamp/);
    assert.match(await times.nth(1).textContent(), /at most a week ahead/);
    await page.getByTestId('explain-source').selectOption('udp');
    await framings.filter({ hasText: 'all of it is one message' }).waitFor();
    assert.equal(await framings.count(), 1);
  }));

test('a doubtful reading of a header says why it was decided so', () =>
  onPage(async (page) => {
    await page.getByTestId('explain-message').fill('Nov 28 10:00:00 -- my words');
    const decisions = page.getByTestId('explain-decisions').locator('tr').filter({ hasText: 'decision' });
    await decisions.filter({ hasText: 'no priority' }).waitFor();
  }));

test('problems of a configuration stand at their lines, and nothing is applied', () =>
  onPage(async (page) => {
    const area = page.getByTestId('config-text');
    const verdict = page.getByTestId('config-verdict');
    // The running configuration can be used.
    await verdict.filter({ hasText: 'It can be used' }).waitFor();
    const before = await area.inputValue();
    assert.match(before, /\[source\.udp/);
    await area.fill('[source.udp.office]\naddres = "127.0.0.1:5514"\n');
    await verdict.filter({ hasText: 'It cannot be used' }).waitFor();
    const problem = page.getByTestId('config-problem').first();
    assert.match(await problem.textContent(), /line 2.*addres/s);
    await problem.getByRole('button').click();
    const chosen = await area.evaluate((box) => box.value.slice(box.selectionStart, box.selectionEnd));
    assert.equal(chosen, 'addres');
    await shot(page, 'check');
    await page.getByRole('button', { name: 'Running configuration' }).click();
    await verdict.filter({ hasText: 'It can be used' }).waitFor();
    assert.equal(await area.inputValue(), before);
  }));

test('the details say where each part comes from, and mark it in the bytes', () =>
  onPage(
    async (page) => {
      await firstRow(page).click();
      const details = page.getByTestId('details');
      await details.getByTestId('raw').getByText('<13>1').waitFor();
      const field = (name) => details.getByTestId('field').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
      await field('program').hover();
      assert.equal(await details.getByTestId('raw').locator('mark').textContent(), 'shop');
      assert.match(await field('order@1.user').textContent(), /unescaped/);
      assert.match(await field('received').textContent(), /noted on arrival/);
      await shot(page, 'origins');
    },
    { path: '/search' },
  ));
