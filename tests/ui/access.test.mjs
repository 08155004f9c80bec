// For everybody: axe finds nothing on any page in light and dark, the main task needs no mouse, and
// nothing is lost at twice the size.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import axe from 'axe-core';

import { done, editor, firstRow, search, shot, waitForTotal } from './browser.mjs';
import { logs } from './logs.mjs';
import { site } from './site.mjs';

const RECORDS = 2_000;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const { onPage } = site(async (started) => {
  await started.load(logs(RECORDS));
  await started.send(['<13>1 - web1 app 1 - - by a sender of its own']);
});

/** What axe finds on the page as it is now, one line for each rule and place. */
async function findings(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate((rules) => {
    return globalThis.axe.run({ runOnly: rules, resultTypes: ['violations'] });
  }, RULES);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  );
}

const PLACES = {
  'the rows with fields': async (page) => {
    await page.getByTestId('facet-value').first().waitFor();
  },
  'the details of a record': async (page) => {
    await firstRow(page).click();
    await page.getByTestId('details').getByTestId('raw').getByText('<').first().waitFor();
  },
  'the statistics and the split histogram': async (page) => {
    await page.getByTestId('show-statistics').click();
    await page.getByTestId('table-row').first().waitFor();
    await page.getByTestId('table-split').click();
    await page.getByTestId('legend-value').first().waitFor();
  },
  'a list of records': async (page) => {
    await search(page, 'failed | fields id, received, host, pid | sort host');
    await page.getByTestId('table-row').first().waitFor();
  },
  'the patterns': async (page) => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await page.getByTestId('pattern-row').first().waitFor();
  },
  'a context': async (page) => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    await page.getByTestId('context').waitFor();
  },
  'the menus': async (page) => {
    await page.getByTestId('columns').click();
    await page.getByTestId('column-pid').waitFor();
  },
  'the searches': async (page) => {
    await page.getByTestId('searches').click();
    await page.getByTestId('save-name').fill('Failures');
    await page.getByTestId('save').click();
    await page.getByTestId('saved-search').first().waitFor();
  },
  'the range': async (page) => {
    await page.getByTestId('range').click();
    await page.getByTestId('range-from').waitFor();
  },
  'the help': async (page) => {
    await page.getByTestId('help-open').click();
    await page.getByTestId('help').waitFor();
  },
  'a mistake': async (page) => {
    await search(page, 'failed AND (');
    await page.getByTestId('error').waitFor();
  },
  'completions': async (page) => {
    await editor(page).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' ho');
    await page.locator('.query-completions li').first().waitFor();
  },
  'nothing found': async (page) => {
    await search(page, 'nosuchword');
    await page.getByTestId('empty').getByText('Nothing matches').waitFor();
  },
};

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing in the ${colorScheme}`, async () => {
    const found = [];
    for (const [place, go] of Object.entries(PLACES)) {
      await onPage(
        async (page) => {
          await firstRow(page).waitFor();
          await go(page);
          found.push(...(await findings(page)).map((each) => `${place}: ${each}`));
        },
        { path: '/search?q=failed', colorScheme },
      );
    }
    await onPage(
      async (page) => {
        await page.getByTestId('silence-none').waitFor();
        await page.getByTestId('show-senders').first().click();
        await page.getByTestId('sender').first().waitFor();
        found.push(...(await findings(page)).map((each) => `the overview: ${each}`));
      },
      { path: '/overview', colorScheme },
    );
    await onPage(
      async (page) => {
        await page.getByTestId('explained').waitFor();
        await page.getByTestId('config-text').fill('[source.udp.office]\naddres = "127.0.0.1:5514"\n');
        await page.getByTestId('config-problem').first().waitFor();
        found.push(...(await findings(page)).map((each) => `the checks: ${each}`));
        await shot(page, `check-${colorScheme}`);
      },
      { path: '/check', colorScheme },
    );
    assert.deepEqual(found, []);
  });
}

test('what is typed before the editor is there is completed', () =>
  onPage(async (page) => {
    // The editor comes only after all has been typed.
    let letEditorCome;
    const typed = new Promise((resolve) => (letEditorCome = resolve));
    await page.route(/\/editor\.js/, async (route) => {
      await typed;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/editor\.js/);
    await page.reload();
    await firstRow(page).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('program:ssh');
    await asked;
    assert.equal(await page.locator('input[data-testid="query"]').inputValue(), 'program:ssh');
    letEditorCome();
    await page.locator('.query-completions').getByText('sshd').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await waitForTotal(page, RECORDS / 5);
  }));

test('from a question to a record and its context without a mouse', () =>
  onPage(async (page) => {
    await firstRow(page).waitFor();
    const press = (key) => page.keyboard.press(key);
    await press('/');
    await page.keyboard.type('program:ssh');
    await page.locator('.query-completions').getByText('sshd').waitFor();
    await press('Tab');
    await press('Enter');
    await waitForTotal(page, RECORDS / 5);
    await done(page);
    await firstRow(page).waitFor();
    // Out of the box, to the rows, down, and into one.
    await press('Escape');
    for (let count = 0; count < 3; count += 1) await press('j');
    await press('o');
    const details = page.getByTestId('details');
    await details.waitFor();
    const id = await details.getByTestId('permalink').textContent();
    // To the program of the record by Tab, and away from it.
    const field = page.locator('[data-testid="field"]:focus-within th');
    for (let count = 0; (await field.allTextContents())[0] !== 'host'; count += 1) {
      assert.ok(count < 40, 'the fields are not reached');
      await press('Tab');
    }
    await press('f');
    const narrowed = 'program:sshd host:="';
    await page.waitForFunction((start) => {
      return new URL(location.href).searchParams.get('q').startsWith(start);
    }, narrowed);
    await firstRow(page).waitFor();
    await press('Escape');
    await press('j');
    await press('c');
    await page.getByTestId('context').waitFor();
    await done(page);
    await press('Escape');
    await page.getByTestId('context').waitFor({ state: 'detached' });
    // The histogram: the last bars, and in.
    await page.getByTestId('histogram').focus();
    await press('End');
    await press('Shift+ArrowLeft');
    await press('Enter');
    await page.waitForURL(/from=.*to=/);
    await press('?');
    await page.getByTestId('help').waitFor();
    await press('Escape');
    assert.match(id, /^main:\d+$/);
  }));

test('nothing is lost at twice the size', () =>
  onPage(
    async (page) => {
      await firstRow(page).waitFor();
      const lost = await page.evaluate(() => {
        const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
        const outside = [...document.querySelectorAll('button, a, select, input')].filter((each) => {
          const { left, right, width } = each.getBoundingClientRect();
          const isHidden = width === 0 || each.closest('.visually-hidden, [aria-hidden="true"]');
          return !isHidden && (left < -1 || right > document.documentElement.clientWidth + 1);
        });
        return [...(wide ? ['the page scrolls sideways'] : []), ...outside.map((each) => each.outerHTML)];
      });
      assert.deepEqual(lost, []);
      await firstRow(page).scrollIntoViewIfNeeded();
      await shot(page, 'twice-the-size');
      await firstRow(page).click();
      await page.getByTestId('details').waitFor();
      await page.getByTestId('details').getByTestId('include').first().click();
      await page.waitForURL(/host|facility|pid|program/);
    },
    { path: '/search?q=failed', viewport: { width: 700, height: 450 }, deviceScaleFactor: 2 },
  ));
