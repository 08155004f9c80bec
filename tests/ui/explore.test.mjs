// From one search to the next: fields, statistics, context, columns, files, links, completions.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { done, editor, firstRow, search, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 5_000;

const { server, onPage } = site((started) => started.load(logs(RECORDS)));

function query(page) {
  return new URL(page.url()).searchParams.get('q');
}

test('fields show their values with counts, and a click narrows the search to one', () =>
  onPage(async (page) => {
    await search(page, '');
    const hosts = page.locator('[data-testid="facet"][data-field="host"]');
    const value = hosts.getByTestId('facet-value').filter({ hasText: 'web1' });
    await value.waitFor();
    assert.match(await hosts.textContent(), /web1\s*1\.3/);
    await shot(page, 'fields');
    await value.click();
    await waitForTotal(page, RECORDS / 4);
    assert.equal(query(page), 'host:="web1"');

    const programs = page.locator('[data-testid="facet"][data-field="program"]');
    const nginx = programs.locator('li').filter({ hasText: 'nginx' });
    await nginx.hover();
    await nginx.getByTestId('exclude').click();
    const wanted = { q: 'host:="web1" NOT program:="nginx"' };
    await waitForTotal(page, (await server.ask('count', wanted)).count);
    assert.equal(query(page), wanted.q);
  }));

test('fields that only some records have are found on demand', async () => {
  await server.send(['<13>1 - odd fields 1 - [shop@32473 basket="7"] a record with a field']);
  await onPage(
    async (page) => {
      await waitForTotal(page, 1);
      await page.getByTestId('find-fields').click();
      const facet = page.locator('[data-testid="facet"][data-field="shop@32473.basket"]');
      await facet.getByRole('button').first().click();
      await facet.getByTestId('facet-value').click();
      await page.waitForURL(/basket/);
      await waitForTotal(page, 1);
    },
    { path: '/search?q=host:odd' },
  );
});

test('fields of the text of messages narrow a search like any other', async () => {
  await server.send(['<13>1 - pairs shop 1 - - took=12 status=404 user="anna b"']);
  await onPage(
    async (page) => {
      await waitForTotal(page, 1);
      await page.getByTestId('find-fields').click();
      const facet = page.locator('[data-testid="facet"][data-field="user"]');
      await facet.getByRole('button').first().click();
      await facet.getByTestId('facet-value').click();
      await page.waitForURL(/user/);
      await waitForTotal(page, 1);
      assert.equal(query(page), 'host:pairs user:="anna b"');
    },
    { path: '/search?q=host:pairs' },
  );
});

test('records are found by the time of their senders, and the address keeps it', async () => {
  await server.send(['<13>1 2020-02-03T04:05:06Z aged app 1 - - a story of old']);
  await onPage(
    async (page) => {
      await page.getByTestId('range').click();
      await page.getByTestId('range-event').click();
      await waitForTotal(page, 1);
      assert.equal(new URL(page.url()).searchParams.get('time'), 'event');
      assert.match(await page.getByTestId('range').textContent(), /by event/);
      await page.reload();
      await waitForTotal(page, 1);
      assert.match(await firstRow(page).textContent(), /a story of old/);
    },
    { path: '/search?q=host:aged&from=2020-02-01&to=2020-03-01' },
  );
});

test('statistics count the values of a field, as a table, a pie and a file', () =>
  onPage(async (page) => {
    await search(page, 'NOT host:odd');
    await page.getByTestId('show-statistics').click();
    await page.getByTestId('table-by').selectOption('program');
    const rows = page.getByTestId('table-row');
    await rows.filter({ hasText: 'nginx' }).waitFor();
    assert.equal(query(page), 'NOT host:odd | count by program');
    const { values } = await server.ask('stats', { q: 'NOT host:odd', by: 'program' });
    const told = await rows.allTextContents();
    assert.equal(told.length, values.length);
    for (const [place, { value, count }] of values.entries()) {
      assert.ok(told[place].includes(value), told[place]);
      assert.ok(told[place].replaceAll(',', '').includes(String(count)), told[place]);
    }
    await shot(page, 'statistics');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('table-csv').click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    assert.equal(text.split('\r\n')[1], `${values[0].value},${values[0].count}`);
    await page.goBack();
    await rows.filter({ hasText: 'web1' }).waitFor();
    await done(page);
    await page.keyboard.press('Escape');
    await firstRow(page).waitFor();
    assert.equal(query(page), 'NOT host:odd');
  }));

test('the histogram is split by a field, in the same bars', () =>
  onPage(
    async (page) => {
      const legend = page.getByTestId('legend-value');
      await legend.nth(2).waitFor();
      const { values } = await server.ask('stats', { q: 'NOT host:odd', by: 'severity' });
      const told = await legend.allTextContents();
      assert.equal(told.length, values.length);
      for (const { value, count } of values) {
        const line = told.find((each) => each.includes(value)) ?? '';
        assert.ok(line.replaceAll(',', '').includes(String(count)), `${value}: ${line}`);
      }
      await shot(page, 'split');
      await legend.filter({ hasText: 'err' }).click();
      const { count } = await server.ask('count', { q: 'severity:err NOT host:odd' });
      await waitForTotal(page, count);
      await page.getByTestId('split').selectOption('');
      await legend.first().waitFor({ state: 'detached' });
      assert.ok(!page.url().includes('split'));
    },
    { path: '/search?q=NOT+host:odd&split=severity' },
  ));

test('the context of a row stands in its place, grows both ways, and Escape leads back', () =>
  onPage(async (page) => {
    await search(page, 'declined');
    await waitForTotal(page, RECORDS / 5);
    await page.getByTestId('rows').hover();
    await page.mouse.wheel(0, 1_200);
    const row = page.getByTestId('row').nth(20);
    await row.click();
    const details = page.getByTestId('details');
    const id = await details.getByTestId('permalink').textContent();
    const top = () => page.getByTestId('rows').evaluate((list) => list.scrollTop);
    const before = await top();
    await details.getByTestId('details-context').click();
    await page.getByTestId('context').waitFor();
    await page.waitForURL(/around=program/);

    await page.getByTestId('context-all').click();
    await page.waitForURL(/around=all/);
    await page.getByTestId('row').filter({ hasText: 'UFW BLOCK' }).first().waitFor();
    // The record stands among its neighbours, in the order of the store.
    await page.waitForFunction(() => document.querySelector('.is-anchor')?.previousElementSibling);
    const shown = await page.getByTestId('row').evaluateAll((rows) =>
      rows.map((each) => each.dataset.id),
    );
    const place = shown.indexOf(id);
    assert.ok(place > 0 && place < shown.length - 1, `${id} is at ${place}`);
    assert.equal(Number(shown[place - 1].split(':')[1]), Number(id.split(':')[1]) + 1);
    await shot(page, 'context');

    await page.keyboard.press('Escape');
    await page.getByTestId('context').waitFor({ state: 'detached' });
    await details.waitFor();
    assert.equal(await details.getByTestId('permalink').textContent(), id);
    assert.ok(Math.abs((await top()) - before) < 40, `${await top()} instead of ${before}`);
    await waitForTotal(page, RECORDS / 5);
  }));

test('a link to a context opens it, and leads to the search', () =>
  onPage(
    async (page) => {
      await page.getByTestId('context').waitFor();
      await page.locator('.is-anchor').waitFor();
      await page.getByTestId('context-back').click();
      await page.getByTestId('context').waitFor({ state: 'detached' });
      await waitForTotal(page, RECORDS / 5);
    },
    { path: '/search?q=declined&around=host&at=main:2500' },
  ));

test('columns are chosen, moved and resized', () =>
  onPage(async (page) => {
    await search(page, 'declined');
    await page.getByTestId('columns').click();
    await page.getByTestId('column-pid').check();
    await page.getByTestId('column-left-pid').click();
    await page.waitForURL(/cols=host,pid,program/);
    await page.keyboard.press('Escape');
    const head = page.getByRole('columnheader', { name: 'host' });
    const { width } = await head.boundingBox();
    await page.getByTestId('grip-host').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(Math.round((await head.boundingBox()).width), Math.round(width) + 32);
    await page.reload();
    await firstRow(page).waitFor();
    assert.equal(Math.round((await head.boundingBox()).width), Math.round(width) + 32);
    await page.getByTestId('grip-host').dblclick();
    assert.equal(Math.round((await head.boundingBox()).width), Math.round(width));
  }));

test('long messages wrap, and what is in view stays there', async () => {
  const long = Array.from({ length: 300 }, (_, n) => `word${n}`).join(' ');
  await server.send(Array.from({ length: 60 }, (_, n) => `<13>1 - long wrap ${n} - - ${n} ${long}`));
  await onPage(
    async (page) => {
      await waitForTotal(page, 60);
      const { height } = await firstRow(page).boundingBox();
      await page.getByTestId('wrap').click();
      await page.waitForFunction(
        (one) => document.querySelector('[data-testid="row"]').offsetHeight > 3 * one,
        height,
      );
      const boxes = await page.getByTestId('row').evaluateAll((rows) =>
        rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
      );
      boxes.sort((a, b) => a.top - b.top);
      for (const [place, { top }] of boxes.entries()) {
        if (place > 0) assert.ok(Math.abs(top - boxes[place - 1].bottom) < 1, `gap at ${place}`);
      }
      await shot(page, 'wrapped');
    },
    { path: '/search?q=host:long' },
  );
});

test('a message over 4 KiB is cut, and shown whole on demand', async () => {
  const text = `${'x'.repeat(9_000)} theend`;
  await server.send([`<13>1 - huge one 1 - - ${text}`]);
  await onPage(
    async (page) => {
      await waitForTotal(page, 1);
      await firstRow(page).click();
      const message = page.getByTestId('details-message');
      await message.getByRole('button', { name: 'Show all (8.8 KiB)' }).click();
      await message.getByText('theend').waitFor();
    },
    { path: '/search?q=host:huge' },
  );
});

test('the space bar pauses the tail, which loses nothing', () =>
  onPage(
    async (page) => {
      await firstRow(page).waitFor();
      await page.keyboard.press('l');
      await page.locator('[data-testid="tail"][data-state="live"]').waitFor();
      await page.keyboard.press('Space');
      await page.getByTestId('tail-paused').waitFor();
      await server.send(['<13>1 - paused tail 1 - - while it was paused']);
      const pill = page.getByTestId('tail-pill');
      await pill.waitFor();
      assert.match(await pill.textContent(), /1 new/);
      assert.doesNotMatch(await firstRow(page).textContent(), /while it was paused/);
      await page.keyboard.press('Space');
      await page.getByTestId('row').filter({ hasText: 'while it was paused' }).waitFor();
    },
    { path: '/search?q=NOT+host:odd' },
  ));

test('everything that matches is a file away', () =>
  onPage(async (page) => {
    await search(page, 'program:sshd');
    await waitForTotal(page, RECORDS / 5);
    await page.getByTestId('export').click();
    await shot(page, 'export');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('export-csv').click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8').trim().split('\r\n');
    assert.equal(lines.length, RECORDS / 5 + 1);
    assert.equal(file.suggestedFilename(), 'logwood.csv');
  }));

test('an export says how far it is, until it has ended', () =>
  onPage(async (page) => {
    await search(page, 'program:sshd');
    await waitForTotal(page, RECORDS / 5);
    // What the server says of the export, as a small one takes no time.
    let records = 50;
    let mark = '';
    await page.route('**/api/v1/status', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const query = 'program:sshd';
      answer.searches = records === 0 ? [] : [{ query, seconds: 1, records, mark }];
      await route.fulfill({ response, json: answer });
    });
    await page.getByTestId('export').click();
    const link = page.getByTestId('export-raw');
    mark = new URL(await link.getAttribute('href'), server.url).searchParams.get('mark');
    assert.ok(mark);
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    await file.path();
    const progress = page.getByTestId('export-progress');
    await progress.filter({ hasText: /^50 of [\d,]+ exported$/ }).waitFor();
    await shot(page, 'export-progress');
    records = 120;
    await progress.filter({ hasText: /^120 of/ }).waitFor();
    records = 0;
    await progress.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
  }));

test('a search is shared as asked, with its times fixed, and as a command', () =>
  onPage(
    async (page) => {
      await firstRow(page).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const copied = async (item) => {
        await page.getByTestId(`share-${item}`).click();
        await page.getByText('Copied:').waitFor();
        return page.evaluate(() => navigator.clipboard.readText());
      };
      await page.getByTestId('share').click();
      assert.match(await copied('link'), /\/search\?q=declined&from=now-2h$/);
      assert.match(await copied('fixed'), /from=20\d\d-.*&to=20\d\d-/);
      assert.match(await copied('curl'), /^curl -sG http:.*\/api\/v1\/search --data-urlencode q=declined/);
    },
    { path: '/search?q=declined&from=now-2h' },
  ));

test('fields and values are completed, with their counts', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    await editor(page).click();
    await page.keyboard.type('prog');
    await page.locator('.query-completions').getByText('program').first().waitFor();
    await page.keyboard.press('Tab');
    const values = page.locator('.query-completions li');
    await values.filter({ hasText: 'nginx' }).waitFor();
    await shot(page, 'completion');
    assert.match(await values.filter({ hasText: 'nginx' }).textContent(), /2,000/);
    await page.keyboard.type('ss');
    await values.filter({ hasText: 'nginx' }).waitFor({ state: 'detached' });
    await values.filter({ hasText: 'sshd' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await waitForTotal(page, RECORDS / 5);
    assert.equal(query(page), 'program:sshd');
  }));

test('what was asked before is offered again', () =>
  onPage(async (page) => {
    await search(page, 'program:sshd');
    await waitForTotal(page, RECORDS / 5);
    await search(page, 'program:nginx');
    await waitForTotal(page, (RECORDS * 2) / 5);
    await page.getByTestId('searches').click();
    await page.getByTestId('history-query').filter({ hasText: 'sshd' }).click();
    await waitForTotal(page, RECORDS / 5);
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('ArrowDown');
    await page.locator('.query-completions').getByText('program:nginx').waitFor();
    // Escape closes the list only.
    await page.keyboard.press('Escape');
    await page.locator('.query-completions').waitFor({ state: 'detached' });
  }));

test('a search is saved on the server under a name, outlives a crash, and is replaced and deleted', async () => {
  const open = async (page) => {
    await firstRow(page).waitFor();
    await page.getByTestId('searches').click();
  };
  await onPage(
    async (page) => {
      await open(page);
      await page.getByTestId('save-name').fill('Cards <b>declined</b>');
      await page.getByTestId('save').click();
      await page.getByTestId('saved-search').filter({ hasText: 'Cards <b>declined</b>' }).waitFor();
      await shot(page, 'searches');
    },
    { path: '/search?q=declined&from=now-3h&cols=host,pid' },
  );
  await server.kill();
  await server.start();
  await onPage(async (page) => {
    await open(page);
    await page.getByTestId('saved-search').click();
    await waitForTotal(page, RECORDS / 5);
    assert.match(page.url(), /q=declined&from=now-3h&cols=host,pid$/);
    await search(page, 'declined | top host');
    await page.getByTestId('table-row').first().waitFor();
    await page.getByTestId('searches').click();
    await page.getByTestId('save-name').fill('Cards <b>declined</b>');
    await page.getByTestId('save').filter({ hasText: 'Replace' }).click();
    await page.getByTestId('saved-search').filter({ hasText: 'top host' }).waitFor();
    await page.getByTestId('saved-delete').click();
    await page.getByText('None yet.').waitFor();
    assert.deepEqual(await server.ask('searches', {}), { searches: [] });
  });
});

test('a query that is read otherwise than written says so', () =>
  onPage(async (page) => {
    await search(page, 'failed password');
    await page.getByTestId('meaning').waitFor();
    assert.match(await page.getByTestId('meaning').textContent(), /failed AND password/i);
  }));

test('times are typed in words', () =>
  onPage(async (page) => {
    await search(page, 'NOT host:odd NOT host:long');
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await page.getByTestId('range-from').fill('20 minutes ago');
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=now-20m/);
    await page.waitForFunction((all) => {
      const told = document.querySelector('[data-testid="total"]')?.textContent ?? '';
      const total = Number(told.replace(/\D/g, ''));
      return total > 0 && total < all / 2;
    }, RECORDS);
  }));

test('where nothing matches, the page says which part of the query leaves nothing', () =>
  onPage(async (page) => {
    await search(page, 'declined host:nosuchhost');
    const without = page.getByTestId('without');
    await without.waitFor();
    assert.match(await without.textContent(), /Without\s+host:nosuchhost:\s+1,000\s+match/);
    await shot(page, 'nothing');
    await without.click();
    await waitForTotal(page, RECORDS / 5);
  }));

test('every query of the help can be run', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    await page.getByTestId('help-open').click();
    const examples = await page.locator('[data-testid="help"] .examples code').allTextContents();
    assert.ok(examples.length > 12, `${examples.length} examples`);
    for (const q of examples) {
      const { diagnostics } = await server.ask('query/parse', { q, pipe: true });
      assert.deepEqual(diagnostics, [], q);
    }
    await shot(page, 'help');
  }));
