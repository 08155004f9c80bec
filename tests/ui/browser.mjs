// A browser of a test file's own, and pages that fail on errors which they only log.
//
// Screenshots go to tests/output/, to be looked at.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

const output = join(import.meta.dirname, '..', 'output');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

const BAD_REQUEST = /status of 400 \(/;

export class Browser {
  #browser;
  #server;
  #args;

  /** The page is that of this server unless a test says otherwise; `args` are Chromium's. */
  constructor(server, args = []) {
    this.#server = server;
    this.#args = args;
  }

  async start() {
    mkdirSync(output, { recursive: true });
    this.#browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        ...this.#args,
      ],
    });
  }

  /** The processes of the browser: `id` and `type`. */
  async processes() {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo;
  }

  async stop() {
    await this.#browser?.close();
  }

  /**
   * Runs a test on a page of its own and fails on errors that the page only logs. A query with a
   * mistake is answered with a status of its own, which the browser logs: that is `expected`.
   */
  async onPage(use, { path = '/', url = this.#server.url, expected = BAD_REQUEST, ...options } = {}) {
    const viewport = { width: 1400, height: 900 };
    const context = await this.#browser.newContext({ viewport, timezoneId: 'UTC', ...options });
    const page = await context.newPage();
    const wrong = [];
    page.on('pageerror', (error) => wrong.push(`${error}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) wrong.push(message.text());
    });
    try {
      await page.goto(url + path);
      await use(page);
      assert.deepEqual(wrong, []);
    } catch (error) {
      await page.screenshot({ path: join(output, 'failed.png') });
      throw error;
    } finally {
      await context.close();
    }
  }
}

/** The query box, once the editor has taken the place of the plain input. */
export function editor(page) {
  return page.locator('[data-testid="query"][contenteditable]');
}

/** Puts a query into the box, in place of what is there, and runs it. */
export async function search(page, query) {
  await editor(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  if (query !== '') await page.keyboard.type(query);
  await page.getByTestId('run').click();
}

export async function shot(page, name) {
  await page.screenshot({ path: join(output, `${name}.png`) });
}

/** Waits until the number of records that the page tells is this one. */
export async function waitForTotal(page, expected) {
  await page.waitForFunction((wanted) => {
    const told = document.querySelector('[data-testid="total"]')?.textContent ?? '';
    return told.replace(/\D/g, '') === String(wanted);
  }, expected);
}

/** What runs has run: until then, Escape would stop it. */
export async function done(page) {
  await page.getByTestId('run').waitFor();
}

export function firstRow(page) {
  return page.getByTestId('row').first();
}
