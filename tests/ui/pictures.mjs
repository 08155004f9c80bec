// Makes the pictures of docs/images from a demonstration, in light and dark:
//
//   LOGWOOD_BIN=target/debug/logwood node tests/ui/pictures.mjs
//
// They are looked at before they are checked in.

import { join } from 'node:path';

import { Browser, firstRow } from './browser.mjs';
import { Server } from './server.mjs';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');

/** The first three fields have their values. */
async function fieldsReady(page) {
  for (const field of ['severity', 'host', 'program']) {
    const facet = page.locator(`[data-testid="facet"][data-field="${field}"]`);
    await facet.getByTestId('facet-value').first().waitFor();
  }
}

const PICTURES = {
  search: {
    path: '/search?q=failed&split=severity',
    ready: async (page) => {
      await firstRow(page).waitFor();
      await fieldsReady(page);
      await page.getByTestId('legend-value').first().waitFor();
    },
  },
  statistics: {
    path: '/search?q=severity:%3C%3Derr+|+count+by+host&split=host',
    ready: async (page) => {
      await page.getByTestId('table-row').first().waitFor();
      await fieldsReady(page);
      await page.getByTestId('legend-value').first().waitFor();
    },
  },
  patterns: {
    path: '/search?q=severity:%3C%3Dwarning+|+patterns+50+bars+40',
    ready: async (page) => {
      await page.getByTestId('pattern-row').first().waitFor();
      await fieldsReady(page);
      await page.waitForFunction(() => {
        const lines = document.querySelectorAll('[data-testid="pattern-row"] path');
        return [...lines].slice(0, 8).every((line) => line.getAttribute('d') !== '');
      });
    },
  },
  context: {
    path: '/search?q=failed&cols=host,program',
    ready: async (page) => {
      await firstRow(page).waitFor();
      await fieldsReady(page);
      for (let count = 0; count < 12; count += 1) await page.keyboard.press('j');
      await page.keyboard.press('c');
      await page.locator('.is-anchor').waitFor();
      await page.waitForFunction(() => document.querySelector('.is-anchor')?.previousElementSibling);
    },
  },
  check: {
    path: '/check',
    ready: async (page) => {
      await page.getByTestId('config-verdict').filter({ hasText: 'It can be used' }).waitFor();
      await page.getByTestId('config-text').fill('[source.udp.office]\naddres = "127.0.0.1:5514"\n');
      await page.getByTestId('config-problem').waitFor();
      await page.getByTestId('explained').getByText('mymachine').hover();
    },
  },
  overview: {
    path: '/overview',
    ready: async (page) => {
      await page.getByTestId('forecast').waitFor();
      await page.getByTestId('silence-none').or(page.getByTestId('silent-host').first()).waitFor();
      // The lines of the rates need a few answers of the status.
      await page.waitForFunction(() => {
        const line = document.querySelector('[data-testid="source"] path');
        return (line?.getAttribute('d') ?? '').split('L').length > 4;
      });
    },
  },
};

const server = new Server(['--demo']);
const browser = new Browser(server);
try {
  await Promise.all([server.start(), browser.start()]);
  await server.waitForRecords(200_000);
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, { path, ready }] of Object.entries(PICTURES)) {
      const take = async (page) => {
        await ready(page);
        // What is counted has been counted, and the editor has taken the place of the input.
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .query-input'));
        // What fades in or out has done so.
        await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.ready)));
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
      };
      await browser.onPage(take, { path, colorScheme, viewport: { width: 1280, height: 800 } });
    }
  }
} finally {
  await browser.stop();
  await server.stop();
}
