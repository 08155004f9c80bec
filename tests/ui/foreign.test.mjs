// A page of another server, open in the same browser, reads nothing here and changes nothing: not
// from another port of the same machine, not from another name, and not under a name of its own
// that points at the server's address.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Browser, firstRow } from './browser.mjs';
import { Server } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'logwood-ui-'));
writeFileSync(join(folder, 'logwood.toml'), '[http]\nhosts = ["logs.test"]\n');
const server = new Server(['--config', join(folder, 'logwood.toml')]);
// Every name leads to this machine, as an attacker's own name server would have it.
const browser = new Browser(server, ['--host-resolver-rules=MAP *.test 127.0.0.1']);
const foreign = createServer((_request, answer) => {
  answer.setHeader('content-type', 'text/html').end('<!doctype html><title>foreign</title>');
});
/** What a browser logs of a request that was refused, or whose answer it keeps back; and of an icon for a refusal. */
const REFUSED = /status of 4(03|04|21)|CORS policy|ERR_FAILED|ERR_BLOCKED|Refused to|opaque-response/;

before(async () => {
  foreign.listen(0, '127.0.0.1');
  await Promise.all([once(foreign, 'listening'), server.start(), browser.start()]);
  await server.post('ingest', '<13>1 - h secret 1 - - seen by nobody else\n');
});

after(async () => {
  await browser.stop();
  await server.stop();
  foreign.close();
  rmSync(folder, { recursive: true });
});

/** The server under a name. */
function under(name) {
  return `http://${name}:${new URL(server.url).port}`;
}

/** A page of somebody else, under a name, and what it sees of a server. */
function onForeignPage(name, use) {
  const url = `http://${name}:${foreign.address().port}`;
  return browser.onPage(use, { url, expected: REFUSED });
}

/** What a script gets by reading: the text, or why there is none. */
function readBy(page, url) {
  return page.evaluate(
    (from) => fetch(from).then((answer) => answer.text(), (error) => error.name),
    url,
  );
}

/** Everything a page can do to write without being asked for its leave. */
async function writeBy(page, url) {
  await page.evaluate(async (to) => {
    const body = '<13>1 - h intruder 1 - - written by a foreign page\n';
    const ways = [
      { mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body },
      { mode: 'no-cors', body: new URLSearchParams({ body }) },
      { mode: 'no-cors', body: new Blob([body]) },
      { mode: 'cors', body },
      { mode: 'cors', headers: { 'content-type': 'application/json' }, body },
    ];
    for (const way of ways) {
      for (const endpoint of ['ingest', 'import']) {
        await fetch(`${to}/api/v1/${endpoint}`, { method: 'POST', ...way }).catch(() => null);
      }
    }
    navigator.sendBeacon(`${to}/api/v1/ingest`, body);
    const saved = { method: 'PUT', body: '{"q":"x"}' };
    await fetch(`${to}/api/v1/searches/intruder`, saved).catch(() => null);
  }, url);
  // A form is sent like a link is followed.
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${url}/api/v1/ingest">
       <input name="<13>1 - h intruder 1 - - written by a form" value="">
     </form>`,
  );
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.evaluate(() => document.forms[0].submit()),
  ]);
  assert.ok([403, 421].includes(answer.status()), `${answer.status()}`);
  await page.waitForURL(/ingest/);
}

async function nothingWritten() {
  assert.equal((await server.ask('count', { q: 'intruder' })).count, 0);
  assert.deepEqual((await server.ask('searches', {})).searches, []);
}

for (const [page, target] of [
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', '127.0.0.1'],
  ['localhost', 'localhost'],
  // No address of its own machine: the browser sends no Sec-Fetch-Site.
  ['logs.test', 'logs.test'],
  ['evil.test', 'logs.test'],
]) {
  test(`a page of another port of ${page} neither reads nor writes ${target}`, async () => {
    await onForeignPage(page, async (open) => {
      const read = await readBy(open, `${under(target)}/api/v1/search?q=seen`);
      assert.equal(read, 'TypeError');
      await writeBy(open, under(target));
    });
    await nothingWritten();
  });
}

test('a name that was made to point here is no name of ours', async () => {
  await browser.onPage(
    async (page) => {
      const read = await readBy(page, '/api/v1/search?q=seen');
      assert.equal(JSON.parse(read).code, 'host-unknown');
      await writeBy(page, under('evil.test'));
    },
    { url: under('evil.test'), path: '/search', expected: REFUSED },
  );
  await nothingWritten();
});

test('the page itself reads and writes under each of its names, and links lead to it', async () => {
  for (const name of ['127.0.0.1', 'localhost', 'logs.test']) {
    await browser.onPage(
      async (page) => {
        await firstRow(page).waitFor();
        const kept = await page.evaluate(async () => {
          const put = { method: 'PUT', body: '{"q":"mine"}', headers: { 'content-type': 'application/json' } };
          const saved = await fetch('/api/v1/searches/mine', put);
          const gone = await fetch('/api/v1/searches/mine', { method: 'DELETE' });
          return [saved.status, gone.status];
        });
        assert.deepEqual(kept, [200, 204]);
      },
      { url: under(name), path: '/search?q=seen' },
    );
    await onForeignPage('evil.test', async (page) => {
      await page.setContent(`<a href="${under(name)}/search?q=seen">logs</a>`);
      await page.getByText('logs').click();
      await firstRow(page).waitFor();
    });
  }
});
