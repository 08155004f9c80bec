// The overview: what comes in, what was dropped and why, who is silent, what the disk holds.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { Server } from './server.mjs';
import { site } from './site.mjs';

const RECORDS = 2_000;

const { server, onPage } = site(
  (started) => {
    // Imported lines become segments at once; a host that has been silent for some hours.
    const quiet = new Date(Date.now() - 5 * 3_600_000).toISOString();
    return started.load([`<13>1 ${quiet} quiet1 cron 1 - - the last word`, ...logs(RECORDS)]);
  },
  { path: '/overview' },
);

test('sources tell what they received, and what was dropped and why', () =>
  onPage(async (page) => {
    await server.send(['<13>1 - web9 overview 1 - - one', '<13>1 - web9 overview 2 - - two']);
    await server.sendDatagrams([Buffer.alloc(0), Buffer.alloc(0)]);
    const udp = page.locator('[data-source="udp"]');
    const drops = udp.getByTestId('drops').getByText('2 empty_datagram');
    await drops.waitFor();
    const cells = page.locator('[data-source="tcp"] > td');
    // What is received is on its way for a moment.
    await cells.nth(3).getByText('2', { exact: true }).waitFor();
    const tcp = await cells.allTextContents();
    assert.match(tcp[0], /tcp 127\.0\.0\.1:\d+/);
    assert.deepEqual(tcp.slice(2, 6).map((cell) => cell.trim()), ['2', '2', '0', 'none']);
    assert.match(await page.getByTestId('dropped-all').textContent(), /2 dropped/);
  }));

test('what is on its way is told with its age, and with what waits in the kernel', () =>
  onPage(async (page) => {
    // The status of the server, with figures that only a server under load has for long.
    await page.route('**/api/v1/status', async (route) => {
      const response = await route.fetch();
      const status = await response.json();
      const udp = status.sources.find(({ name }) => name === 'udp');
      assert.equal(typeof udp.lag_seconds, 'number');
      assert.equal(typeof udp.kernel_queue_bytes, 'number');
      Object.assign(udp, { in_flight: 1_234, lag_seconds: 2.5, kernel_queue_bytes: 98_304 });
      await route.fulfill({ response, json: status });
    });
    const cell = page.locator('[data-source="udp"]').getByTestId('in-flight');
    await cell.getByText('96.0 KiB in the kernel').waitFor();
    assert.match(await cell.textContent(), /1,234\s+for 2\.50 s/);
    await shot(page, 'lag');
  }));

test('the senders to a source are told, with the way to their records', () =>
  onPage(async (page) => {
    await server.send(['<13>1 - web9 senders 1 - - three']);
    await page.locator('[data-source="tcp"]').getByTestId('show-senders').click();
    const sender = page.getByTestId('sender');
    await sender.waitFor();
    const { senders } = await server.ask('sources/tcp/senders', {});
    assert.equal(senders.length, 1);
    assert.match(await sender.textContent(), /127\.0\.0\.1.*usual/s);
    const dropped = page.getByTestId('sender-dropped');
    assert.equal(await dropped.textContent(), '0');
    await page.route('**/sources/tcp/senders', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const each of answer.senders) each.dropped = 4_711;
      await route.fulfill({ response, json: answer });
    });
    await dropped.and(page.locator('.warn')).getByText('4,711').waitFor();
    await shot(page, 'senders');
    await sender.getByRole('link').click();
    await page.waitForURL(/peer/);
    await waitForTotal(page, senders[0].received);
  }));

test('a host that has fallen silent is told, with the way to its records', () =>
  onPage(async (page) => {
    const host = page.getByTestId('silent-host');
    await host.waitFor();
    assert.equal(await host.count(), 1);
    assert.match(await host.textContent(), /quiet1.*last one 5 h ago/s);
    await host.getByRole('link').click();
    await waitForTotal(page, 1);
  }));

test('the disk has a forecast, and a logspace leads to its records', () =>
  onPage(async (page) => {
    assert.equal((await page.getByTestId('storage-state').textContent()).trim(), 'ok');
    assert.match(await page.getByTestId('forecast').textContent(), /room for (\d+ \w+|more than)/);
    await shot(page, 'overview');
    await page.getByTestId('logspace-row').getByRole('link', { name: 'main' }).click();
    await page.waitForURL(/logspace=main/);
    await page.getByTestId('row').first().waitFor();
  }));

test('what is kept bounds the forecast', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logwood-ui-'));
  const config = join(folder, 'logwood.toml');
  writeFileSync(config, '[logspace.main]\nkeep_age = "30d"\nkeep_size = "100GiB"\n');
  const keeper = new Server(['--config', config]);
  try {
    await keeper.start();
    await keeper.load(logs(RECORDS));
    await onPage(
      async (page) => {
        const kept = page.getByTestId('kept');
        await kept.getByText('30 days and 100.0 GiB, 30 days at this pace').waitFor();
        assert.match(await page.getByTestId('in-the-end').textContent(), /\d [KM]iB in the end, by what is kept/);
        await kept.scrollIntoViewIfNeeded();
        await shot(page, 'kept');
      },
      { url: keeper.url },
    );
  } finally {
    await keeper.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a bar of what was received leads to the search of its time', () =>
  onPage(async (page) => {
    await page.getByTestId('span-1h').click();
    // A new answer ends a selection.
    await page.locator('[data-testid="arrivals"][aria-busy="false"]').waitFor();
    const chart = page.getByTestId('histogram');
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search\?from=.*&to=/);
    await page.getByTestId('row').first().waitFor();
  }));

test('the overview works on a telephone, in the dark', () =>
  onPage(
    async (page) => {
      await page.getByTestId('silent-host').waitFor();
      const { width, room } = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        room: document.documentElement.clientWidth,
      }));
      assert.ok(width <= room, `${width} px wide on ${room} px`);
      await shot(page, 'overview-telephone');
    },
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' },
  ));
