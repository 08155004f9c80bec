// The window of rows against a small store that answers as the server does.

import { describe, expect, it } from 'vitest';

import type { Row } from '../src/api/types';
import { Feed, ROWS_MAX, type FetchPage } from '../src/state/feed';
import { formatStamp } from '../src/text/stamp';

const never = new AbortController().signal;

/** A record; several share a time of receipt, as a batch does. */
function row(number: number, perInstant: number): Row {
  return {
    id: `main:${number}`,
    logspace: 'main',
    received: formatStamp(BigInt(Math.floor(number / perInstant)) * 1_000_000_000n),
    time: null,
    host: 'h',
    program: 'p',
    pid: '',
    msgid: '',
    facility: 'user',
    severity: 'info',
    message: `record ${number}`,
    source: 'udp',
    peer: null,
    tags: [],
    fields: {},
  };
}

/** A store of these records, oldest first; a cursor is the number of the last record given. */
function store(rows: Row[]): FetchPage {
  return async (params, _signal, onRows) => {
    // Stamps have one form here, so that they compare as texts do.
    const from = String(params['from'] ?? '');
    const to = String(params['to'] || '~');
    const ascending = params['order'] === 'asc';
    const cursor = params['cursor'] ? Number(String(params['cursor']).slice(5)) : null;
    const page: Row[] = [];
    let at = cursor === null ? (ascending ? 0 : rows.length - 1) : cursor + (ascending ? 1 : -1);
    for (; page.length <= Number(params['limit']); at += ascending ? 1 : -1) {
      const each = rows[at];
      if (!each) break;
      if (each.received >= from && each.received < to) page.push(each);
    }
    const more = page.length > Number(params['limit']);
    if (more) page.pop();
    onRows(page);
    return {
      complete: true,
      reason: null,
      elapsed_ms: 0,
      segments: { total: 0, pruned: 0 },
      bytes_read: 0,
      rows: page.length,
      cursor: more ? (page.at(-1)?.id ?? null) : null,
    };
  };
}

function numbers(feed: Feed): number[] {
  return feed.rows.map(({ id }) => Number(id.slice(5)));
}

function isGapless(feed: Feed): boolean {
  return numbers(feed).every((number, index, all) => index === 0 || number === Number(all[index - 1]) - 1);
}

describe.each([1, 7, 450])('a feed, %i records an instant', (perInstant) => {
  const all = Array.from({ length: 25_000 }, (_, number) => row(number, perInstant));

  it('goes all the way down and up again without a gap', async () => {
    const feed = new Feed(store(all));
    await feed.start({}, null, never, () => undefined);
    expect(numbers(feed)[0]).toBe(24_999);
    while (feed.hasOlder) await feed.older(never);
    expect(numbers(feed).at(-1)).toBe(0);
    expect(feed.rows).toHaveLength(ROWS_MAX);
    expect(isGapless(feed)).toBe(true);
    while (feed.hasNewer) await feed.newer(never);
    expect(numbers(feed)[0]).toBe(24_999);
    expect(feed.rows).toHaveLength(ROWS_MAX);
    expect(isGapless(feed)).toBe(true);
  });

  it('starts from a record and grows both ways', async () => {
    const feed = new Feed(store(all));
    const anchor = all[12_345] as Row;
    await feed.start({}, anchor, never, () => undefined);
    expect(numbers(feed)).toContain(12_345);
    await feed.newer(never);
    await feed.older(never);
    expect(numbers(feed)[0]).toBeGreaterThan(12_345);
    expect(isGapless(feed)).toBe(true);
  });

  it('stays bounded while records arrive, and still finds what it dropped', async () => {
    const stored = all.slice(0, 9_000);
    const feed = new Feed(store(stored));
    await feed.start({}, null, never, () => undefined);
    for (let at = 9_000; at < 20_000; at += 500) {
      stored.push(...all.slice(at, at + 500));
      feed.arrive(all.slice(at, at + 500));
    }
    expect(feed.rows).toHaveLength(ROWS_MAX);
    expect(numbers(feed)[0]).toBe(19_999);
    await feed.older(never);
    expect(numbers(feed).at(-1)).toBeLessThan(10_000);
    expect(isGapless(feed)).toBe(true);
  });
});

describe('a feed', () => {
  const all = Array.from({ length: 1_000 }, (_, number) => row(number, 1));

  it('starts anew from arriving rows when rows before them were missed', async () => {
    const stored = all.slice(0, 300);
    const feed = new Feed(store(stored));
    await feed.start({}, null, never, () => undefined);
    stored.push(...all.slice(300));
    feed.markGap();
    feed.arrive(all.slice(500, 600));
    expect(numbers(feed)).toEqual(Array.from({ length: 100 }, (_, index) => 599 - index));
    while (feed.hasOlder) await feed.older(never);
    expect(numbers(feed).at(-1)).toBe(0);
    expect(isGapless(feed)).toBe(true);
  });

  it('gives up a page when the window has moved meanwhile', async () => {
    const feed = new Feed(store(all));
    await feed.start({}, null, never, () => undefined);
    const loading = feed.older(never);
    feed.clear();
    await loading;
    expect(feed.rows).toEqual([]);
  });

  it('keeps long messages and fields short', async () => {
    const long = { ...(all[0] as Row), message: 'x'.repeat(100_000), fields: { a: 'y'.repeat(9_000), b: 'z' } };
    const feed = new Feed(store([long]));
    await feed.start({}, null, never, () => undefined);
    expect(feed.rows[0]?.message).toHaveLength(4_097);
    expect(JSON.stringify(feed.rows[0]).length).toBeLessThan(8_000);
  });
});
