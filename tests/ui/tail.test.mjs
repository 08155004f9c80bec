// The live tail in bad times: a connection that breaks, a page that is too slow, a long pause.

import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';

import { firstRow, shot } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 500;
/** More than the page keeps, so that it has to let go of some. */
const MANY = 25_000;

const { server, onPage } = site((started) => started.load(logs(RECORDS)));

/** A way to the server that can be cut and mended. */
class Way {
  #sockets = new Set();
  #isCut = false;
  #listener = createServer((socket) => {
    if (this.#isCut) {
      socket.destroy();
      return;
    }
    const { hostname, port } = new URL(server.url);
    const beyond = connect(Number(port), hostname);
    for (const [one, other] of [[socket, beyond], [beyond, socket]]) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => this.#sockets.delete(one));
    }
  });

  open() {
    return new Promise((resolve) => {
      this.#listener.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${this.#listener.address().port}`);
      });
    });
  }

  cut() {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend() {
    this.#isCut = false;
  }

  close() {
    this.cut();
    this.#listener.close();
  }
}

async function goLive(page) {
  await firstRow(page).waitFor();
  await page.keyboard.press('l');
  await page.locator('[data-testid="tail"][data-state="live"]').waitFor();
}

test('after a broken connection the tail goes on where it was', async () => {
  const way = new Way();
  const url = await way.open();
  try {
    await onPage(
      async (page) => {
        await goLive(page);
        await server.send(['<13>1 - web1 tail 1 - - before it breaks']);
        await page.getByTestId('row').filter({ hasText: 'before it breaks' }).waitFor();
        way.cut();
        await page.locator('[data-testid="tail"][data-state="reconnecting"]').waitFor();
        await shot(page, 'tail-broken');
        await server.send(Array.from({ length: 40 }, (_, n) => `<13>1 - web1 tail 1 - - while it was broken ${n}`));
        way.mend();
        await page.locator('[data-testid="tail"][data-state="live"]').waitFor();
        await page.getByTestId('row').filter({ hasText: 'while it was broken 39' }).waitFor();
        // None of them is missing, none is there twice.
        const ids = await page.getByTestId('row').evaluateAll((rows) => rows.map((row) => Number(row.dataset.id.split(':')[1])));
        const newest = ids.slice(0, 12);
        assert.deepEqual(newest, newest.map((_, place) => newest[0] - place));
      },
      { url, expected: /ERR_|Failed to load/ },
    );
  } finally {
    way.close();
  }
});

test('what came while the tail was paused is counted to the last record', () =>
  onPage(async (page) => {
    await goLive(page);
    await page.keyboard.press('Space');
    await page.getByTestId('tail-paused').waitFor();
    const [{ received: before }] = (await server.ask('status', {})).sources.filter(({ name }) => name === 'tcp');
    await server.send(Array.from({ length: MANY }, (_, n) => `<13>1 - web1 many 1 - - number ${n}`));
    await server.waitForRecords(RECORDS + before + MANY);
    const pill = page.getByTestId('tail-pill');
    const dropped = page.getByTestId('tail-dropped');
    // What waits and what the server left out are together all there was.
    await page.waitForFunction((all) => {
      const number = (name) => {
        const told = document.querySelector(`[data-testid="${name}"]`)?.textContent ?? '';
        return Number(told.replace(/\D/g, ''));
      };
      return number('tail-pill') + number('tail-dropped') === all;
    }, MANY);
    await shot(page, 'tail-many');
    // The way to them ends the pause.
    await pill.click();
    await page.getByTestId('tail-paused').waitFor({ state: 'detached' });
    await page.getByTestId('row').filter({ hasText: `number ${MANY - 1}` }).waitFor();
    assert.ok((await dropped.count()) <= 1);
  }));

test('a page that is too slow says how many records it was not sent', () =>
  onPage(async (page) => {
    await goLive(page);
    // Blocks the page for a while, as a machine under load would.
    const blocked = page.evaluate(() => {
      const end = performance.now() + 6_000;
      while (performance.now() < end);
    });
    const [{ received: before }] = (await server.ask('status', {})).sources.filter(({ name }) => name === 'tcp');
    const text = 'x'.repeat(1_500);
    await server.send(Array.from({ length: MANY }, (_, n) => `<13>1 - web1 slow 1 - - ${n} ${text}`));
    await server.waitForRecords(RECORDS + before + MANY);
    await server.send(['<13>1 - web1 slow 1 - - the last of them']);
    await blocked;
    await page.getByTestId('row').filter({ hasText: 'the last of them' }).waitFor();
    const dropped = page.getByTestId('tail-dropped');
    await dropped.waitFor();
    assert.match(await dropped.textContent(), /[\d,]+ left out by the tail/);
    await shot(page, 'tail-dropped');
    // Scrolling loads what was left out: the rows go on without a hole.
    await page.getByTestId('tail').click();
    await page.getByTestId('rows').focus();
    const numbers = () =>
      page.getByTestId('row').evaluateAll((rows) => rows.map((row) => Number(row.dataset.id.split(':')[1])));
    const seen = new Set(await numbers());
    const newest = Math.max(...seen);
    while (Math.min(...seen) > newest - 4_500) {
      const before = seen.size;
      await page.getByTestId('rows').evaluate((list) => list.scrollBy(0, list.clientHeight - 60));
      await page.waitForFunction((lowest) => {
        const rows = [...document.querySelectorAll('[data-testid="row"]')];
        return rows.some((row) => Number(row.dataset.id.split(':')[1]) < lowest);
      }, Math.min(...seen));
      for (const number of await numbers()) seen.add(number);
      assert.ok(seen.size > before);
    }
    const lowest = Math.min(...seen);
    assert.equal(seen.size, newest - lowest + 1);
  }));
