// Times as text. The zone is set here, so that the local time is the same on every machine.

import { describe, expect, it, vi } from 'vitest';

import { Rates } from '../src/state/rates';
import { dateText, isoText, spanText, timeText, zoneText } from '../src/text/clock';
import { moveWindow, rangeLabel, readTime } from '../src/text/range';
import { agoText, bytesInTheEnd, bytesPerDay, daysKept, daysLeft, daysText } from '../src/text/forecast';
import { formatStamp, parseStamp, shiftStamp, stampMs, textMs } from '../src/text/stamp';

vi.stubEnv('TZ', 'Europe/Budapest');

describe('a stamp', () => {
  it('keeps its nanoseconds', () => {
    const text = '2026-11-21T18:47:27.123456789Z';
    expect(formatStamp(parseStamp(text) ?? 0n)).toBe(text);
    expect(textMs(text)).toBe(Date.UTC(2026, 10, 21, 18, 47, 27, 123));
    expect(shiftStamp('2026-11-21T23:59:59.999999999Z', 1n)).toBe('2026-11-22T00:00:00.000000000Z');
  });

  it('is the same instant in every offset', () => {
    expect(parseStamp('2026-11-21T20:17:27.5+01:30')).toBe(parseStamp('2026-11-21T18:47:27.5Z'));
  });

  it('can lie before 1970', () => {
    const nanos = parseStamp('1969-12-31T23:59:59.999999999Z');
    expect(nanos).toBe(-1n);
    expect(stampMs(-1n)).toBe(-1);
    expect(formatStamp(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
  });

  it.each(['', 'now-1h', '2026-11-21', '2026-99-21T00:00:00Z', '2026-11-21T18:47:27'])(
    'is not %j',
    (text) => expect(parseStamp(text)).toBeNull(),
  );
});

describe('a time', () => {
  const ms = Date.UTC(2026, 10, 21, 23, 47, 27, 120);

  it('is shown in UTC or in the zone of the browser', () => {
    expect([dateText(ms, 'utc'), timeText(ms, 'utc')]).toEqual(['2026-11-21', '23:47:27.120']);
    expect([dateText(ms, 'local'), timeText(ms, 'local')]).toEqual(['2026-11-22', '00:47:27.120']);
    expect([zoneText('utc', ms), zoneText('local', ms)]).toEqual(['UTC', 'UTC+01:00']);
    expect(zoneText('local', Date.UTC(2026, 6, 1))).toBe('UTC+02:00');
  });

  it('has all its digits and its offset in ISO form', () => {
    const stamp = '2026-11-21T23:47:27.120000001Z';
    expect(isoText(stamp, 'utc')).toBe(stamp);
    expect(isoText(stamp, 'local')).toBe('2026-11-22T00:47:27.120000001+01:00');
    expect(isoText('soon', 'local')).toBe('soon');
  });

  it('is as exact in a span as its length asks for', () => {
    const hour = 3_600_000;
    const start = Date.UTC(2026, 10, 21, 18, 0, 7, 5);
    const span = (length: number) => spanText(start, start + length, 'utc');
    expect(span(50)).toBe('2026-11-21 18:00:07.005 \u2013 18:00:07.055 UTC');
    expect(span(hour)).toBe('2026-11-21 18:00:07 \u2013 19:00:07 UTC');
    expect(span(8 * hour)).toBe('2026-11-21 18:00 \u2013 2026-11-22 02:00 UTC');
  });
});

describe('a range', () => {
  it.each([
    ['now-1h', 'now-1h'],
    [' 1795286847.5 ', '1795286847.5'],
    ['2026-11-21', '2026-11-20T23:00:00Z'],
    ['2026-11-21 18:47', '2026-11-21T17:47:00Z'],
    ['2026-07-21T18:47:27.123456789', '2026-07-21T16:47:27.123456789Z'],
    ['the day before', 'the day before'],
  ])('reads %j as %j', (typed, expected) => {
    expect(readTime(typed, 'local')).toBe(expected);
  });

  it('reads a time without a zone in UTC where the page shows UTC', () => {
    expect(readTime('2026-11-21 18:47', 'utc')).toBe('2026-11-21T18:47:00Z');
  });

  it('has a label', () => {
    expect(rangeLabel({ from: '', to: '' }, 'utc')).toBe('All time');
    expect(rangeLabel({ from: 'now-1h', to: 'now' }, 'utc')).toBe('Last hour');
    expect(rangeLabel({ from: 'now-90m', to: '' }, 'utc')).toBe('Since now-90m');
    const from = '2026-11-21T18:00:00Z';
    expect(rangeLabel({ from, to: '2026-11-21T19:30:15Z' }, 'utc')).toBe(
      '2026-11-21 18:00 \u2013 19:30:15',
    );
    expect(rangeLabel({ from: '', to: from }, 'local')).toBe('Until 2026-11-21 19:00');
  });

  it('moves by half and zooms about its middle', () => {
    const range = { from: '2026-11-21T10:00:00.000000000Z', to: '2026-11-21T12:00:00.000000000Z' };
    expect(moveWindow(range, 'earlier')?.from).toBe('2026-11-21T09:00:00.000000000Z');
    expect(moveWindow(range, 'later')?.to).toBe('2026-11-21T13:00:00.000000000Z');
    const wider = moveWindow(range, 'wider');
    expect(wider).toEqual({
      from: '2026-11-21T09:00:00.000000000Z',
      to: '2026-11-21T13:00:00.000000000Z',
    });
    expect(moveWindow(wider ?? range, 'narrower')).toEqual(range);
    expect(moveWindow({ from: 'now-1h', to: '' }, 'wider')).toBeNull();
  });
});

describe('a time in words', () => {
  // A Saturday, 19:47:27 in Budapest.
  const now = Date.UTC(2026, 10, 21, 18, 47, 27);

  it.each([
    ['3 h ago', 'now-3h'],
    ['an hour ago', 'now-1h'],
    ['90 minutes ago', 'now-90m'],
    ['4:06 pm', '2026-11-21T16:06:00Z'],
    ['23:00', '2026-11-20T23:00:00Z'],
    ['12:30 am', '2026-11-21T00:30:00Z'],
    ['yesterday', '2026-11-20T00:00:00Z'],
    ['Yesterday 17:30', '2026-11-20T17:30:00Z'],
    ['today at 8 am', '2026-11-21T08:00:00Z'],
    ['monday 9:15', '2026-11-16T09:15:00Z'],
    ['saturday', '2026-11-21T00:00:00Z'],
    ['last saturday', '2026-11-14T00:00:00Z'],
    ['2026-11-03 5pm', '2026-11-03T17:00:00Z'],
  ])('%s', (typed, time) => expect(readTime(typed, 'utc', now)).toBe(time));

  it('is read in the zone of the page', () => {
    expect(readTime('19:00', 'local', now)).toBe('2026-11-21T18:00:00Z');
    expect(readTime('yesterday 17:30', 'local', now)).toBe('2026-11-20T16:30:00Z');
  });

  it.each(['25:00', '17', 'soon', '3 fortnights ago', '13 pm', 'yesterday noonish'])(
    'is not %j, which is left to the server',
    (typed) => expect(readTime(typed, 'utc', now)).toBe(typed),
  );
});

describe('a forecast', () => {
  it('what is kept bounds what is on disk in the end', () => {
    const kept = { bytes: 50, perDay: 10, keepSeconds: null, keepBytes: null };
    expect(bytesInTheEnd(kept)).toBeNull();
    expect(daysKept(kept)).toBeNull();
    const aged = { ...kept, keepSeconds: 30 * 86_400 };
    expect([bytesInTheEnd(aged), daysKept(aged)]).toEqual([300, 30]);
    const both = { ...aged, keepBytes: 120 };
    expect([bytesInTheEnd(both), daysKept(both)]).toEqual([120, 12]);
    expect(bytesInTheEnd({ ...kept, perDay: 0 })).toBe(50);
  });

  const pace = { bytes: 1_000, records: 100, recent: 24, seconds: 86_400 };

  it('is what the last day would add, day after day', () => {
    expect(bytesPerDay(pace)).toBe(240);
    expect(daysLeft({ ...pace, freeBytes: 2_400 })).toBe(10);
    expect(daysLeft({ ...pace, recent: 0, freeBytes: 1 })).toBeNull();
    expect(bytesPerDay({ ...pace, records: 0 })).toBeNull();
  });

  it('is told in one figure', () => {
    expect([0.2, 1, 2.9, 800, 1e9].map(daysText)).toEqual([
      '4 hours',
      '24 hours',
      '2 days',
      '2 years',
      'more than 100 years',
    ]);
    expect([0, 40_000, 600_000, 4 * 3_600_000, 200 * 3_600_000].map(agoText)).toEqual([
      'now',
      '40 s ago',
      '10 min ago',
      '4 h ago',
      '8 days ago',
    ]);
  });
});

it('takes rates of counters, and begins anew where one has gone back', () => {
  const rates = new Rates();
  expect(rates.now('a')).toBeNull();
  rates.take('a', 10, 0);
  rates.take('a', 30, 2_000);
  expect(rates.now('a')).toBe(10);
  rates.take('a', 5, 3_000);
  rates.take('a', 8, 4_000);
  expect(rates.of('a')).toEqual([10, 3]);
});
