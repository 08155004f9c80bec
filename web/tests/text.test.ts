// The small texts: numbers, offsets, dumps, severities, first steps.

import { describe, expect, it } from 'vitest';

import { decodeBase64, hexDump } from '../src/text/bytes';
import { bytesText, countText, elapsedText, plural, prunedText, shortCount } from '../src/text/figures';
import { loggerCommand } from '../src/text/first-steps';
import { indexOfByte } from '../src/text/offsets';
import { originOf, placeOf } from '../src/text/places';

describe('numbers', () => {
  it('are grouped or shortened', () => {
    expect(countText(1_204_331)).toBe('1,204,331');
    expect([0, 999, 1_000, 1_240, 99_940, 123_456, 2.5e6, 3e9].map(shortCount)).toEqual([
      '0', '999', '1\u202fk', '1.2\u202fk', '100\u202fk', '123\u202fk', '2.5\u202fM', '3\u202fG',
    ]);
    expect([plural(1, 'record'), plural(0, 'record')]).toEqual(['1 record', '0 records']);
    expect([1.24, 180.4, 1_234].map(elapsedText)).toEqual(['1.2 ms', '180 ms', '1.23 s']);
    expect([12, 2_048, 5e9].map(bytesText)).toEqual(['12 B', '2.0 KiB', '4.7 GiB']);
  });

  it('do not claim that all was pruned when it was not', () => {
    expect(prunedText({ total: 1_000, pruned: 999 })).toBe('99 % pruned');
    expect(prunedText({ total: 0, pruned: 0 })).toBe('');
  });
});

it('a byte offset becomes an index, whatever stands before', () => {
  const text = 'h\u00e9 \u65e5 \u{1f600}x';
  const bytes = new TextEncoder();
  for (let index = 0; index <= text.length; index += 1) {
    const isInside = /[\udc00-\udfff]/.test(text[index] ?? '');
    if (!isInside) expect(indexOfByte(text, bytes.encode(text.slice(0, index)).length)).toBe(index);
  }
  expect(indexOfByte(text, 999)).toBe(text.length);
});

it('bytes are dumped sixteen to a line', () => {
  const bytes = decodeBase64(btoa('<34>\u00ff\u0000 sixteen bytes+'), 18);
  expect(hexDump(bytes)).toBe(
    '00000000  3c 33 34 3e ff 00 20 73 69 78 74 65 65 6e 20 62  |<34>.. sixteen b|\n' +
      '00000010  79 74                                            |yt|',
  );
});

describe('the first command', () => {
  it('goes where the server listens', () => {
    const listeners = [
      { transport: 'udp', address: '127.0.0.1:5514' },
      { transport: 'tcp', address: '0.0.0.0:1514' },
    ];
    expect(loggerCommand(listeners, 'logs.example')).toBe('logger -n logs.example -P 1514 -T hello');
    expect(loggerCommand(listeners.slice(0, 1), 'x')).toBe('logger -n 127.0.0.1 -P 5514 -d hello');
    expect(loggerCommand([], 'x')).toBe('logger -n 127.0.0.1 -P 5514 -T hello');
    expect(loggerCommand([{ transport: 'tcp', address: '[::]:514' }], 'x')).toBe('logger -n x -P 514 -T hello');
  });
});

describe('a part of a record', () => {
  const raw = '<13>1 2026-01-01T00:00:00Z \u00fcber app - - - text';
  const row = {
    raw,
    received: 'r',
    time: 't',
    places: [
      { part: 'host', start: 27, end: 32 },
      { part: 'k', start: 33, end: 36 },
    ],
  } as unknown as Parameters<typeof placeOf>[0];

  it('has its place in the text, whatever bytes stand before it', () => {
    const place = placeOf(row, 'host', 0);
    expect(place && raw.slice(place.start, place.end)).toBe('\u00fcber');
    const next = placeOf(row, 'k', 0);
    expect(next && raw.slice(next.start, next.end)).toBe('app');
    expect(placeOf(row, 'k', 1)).toBeNull();
    expect(placeOf(row, 'severity', 0)).toEqual({ start: 0, end: 4 });
  });

  it('says where it comes from', () => {
    expect(originOf(row, 'host', { start: 27, end: 31 })).toBe('characters 28 to 31');
    expect(originOf(row, 'peer', null)).toBe('the connection');
    expect(originOf({ ...row, time: 'r' }, 'time', null)).toBe('the time of receipt');
  });
});
