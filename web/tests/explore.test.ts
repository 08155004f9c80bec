// What leads on from a search: completions, commands, colours, files.

import { describe, expect, it } from 'vitest';

import { partsOf, stackOf } from '../src/parts/histogram-bars';
import { contextScope } from '../src/state/context';
import { parseView } from '../src/state/view';
import { curlCommand, searchCommand, shellWord } from '../src/text/commands';
import { csvText } from '../src/text/csv';
import { filterPrefix } from '../src/text/fields';
import { pieSlices } from '../src/text/pie';
import { seriesColors } from '../src/text/series';

it('filters by a part, by a field, and by the logspace in a parameter', () => {
  expect(['host', 'meta.id', 'logspace', 'nvpair:"a b"'].map(filterPrefix)).toEqual([
    'host:',
    'meta.id:',
    null,
    'nvpair:"a b"=',
  ]);
});

describe('a command', () => {
  it('is safe in a shell', () => {
    expect(["it's", 'a b', '$(id)', 'now-1h', ''].map(shellWord)).toEqual([
      `'it'\\''s'`,
      "'a b'",
      "'$(id)'",
      'now-1h',
      "''",
    ]);
  });

  it('asks what the page asks', () => {
    const scope = { q: 'a "b c"', from: 'now-1h', to: '', logspace: 'main' };
    expect(curlCommand('http://x', scope)).toBe(
      `curl -sG http://x/api/v1/search --data-urlencode 'q=a "b c"'` +
        ' --data-urlencode from=now-1h --data-urlencode logspace=main',
    );
    expect(searchCommand('http://x', scope)).toBe(
      `logwood search 'a "b c"' --from now-1h --logspace main --url http://x`,
    );
  });
});

it('writes CSV that no spreadsheet runs', () => {
  expect(csvText([['a,b', '=1+1', 'say "x"'], ['-1', '@x', 'plain']])).toBe(
    `"a,b",'=1+1,"say ""x"""\r\n'-1,'@x,plain\r\n`,
  );
});

describe('colours', () => {
  it('are those of severities, and of a value the same in every company', () => {
    expect(seriesColors('severity', ['err', 'info'])).toEqual(['--series-err', '--series-info']);
    const [alone] = seriesColors('host', ['web1']);
    expect(seriesColors('host', ['web1', 'web2', 'db1'])[0]).toBe(alone);
  });

  it('are different as far as they go', () => {
    const colors = seriesColors('host', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(new Set(colors).size).toBe(7);
    expect(colors[6]).toBe('--series-rest');
  });
});

it('cuts a pie into its shares', () => {
  const [half, quarter, none] = pieSlices([0.5, 0.25, 0]);
  expect(half).toBe('M0 0L0.00000 -1.00000A1 1 0 0 1 0.00000 1.00000Z');
  expect(quarter).toContain('-1.00000');
  expect(none).toBe('');
  expect(pieSlices([1])[0]).toMatch(/^M0 -1A/);
});

describe('parts of bars', () => {
  const parts = [
    { value: 'a', counts: [1, 2], color: '' },
    { value: 'b', counts: [10, 0], color: '' },
  ];

  it('are painted from the whole stack to the first part', () => {
    expect(stackOf(parts, 3, 2)).toEqual([[0, 0], [11, 2], [1, 2]]);
  });

  it('are told by frequency, those that are there', () => {
    expect(partsOf(parts, { first: 0, last: 1 })).toEqual([
      { value: 'b', count: 10 },
      { value: 'a', count: 3 },
    ]);
    expect(partsOf(parts, { first: 1, last: 1 })).toEqual([{ value: 'a', count: 2 }]);
  });
});

it('looks around a record by host and program, by host, or everywhere', () => {
  const view = parseView('?q=x&logspace=a,b');
  const row = { host: 'web1', program: '', logspace: 'a' } as Parameters<typeof contextScope>[0];
  expect(contextScope({ ...row, program: 'nginx' }, 'program', view)).toEqual({
    q: 'host:="web1" program:="nginx"',
    logspace: 'a',
  });
  expect(contextScope(row, 'program', view)).toEqual({ q: 'host:="web1"', logspace: 'a' });
  expect(contextScope(row, 'all', view)).toEqual({ q: '', logspace: 'a,b' });
});
