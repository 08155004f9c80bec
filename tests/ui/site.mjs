// A server and a browser for the tests of one file, there before the first of them and gone behind
// the last.

import { after, before } from 'node:test';

import { Browser } from './browser.mjs';
import { Server } from './server.mjs';

/** `fill` gives the server its records; `usual` is what `onPage` is called with unless said. */
export function site(fill, usual = {}) {
  const server = new Server();
  const browser = new Browser(server);
  before(async () => {
    await Promise.all([server.start(), browser.start()]);
    await fill(server);
  });
  after(async () => {
    await browser.stop();
    await server.stop();
  });
  return { server, onPage: (use, options) => browser.onPage(use, { ...usual, ...options }) };
}
