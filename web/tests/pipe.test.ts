// Questions with a pipe, and patterns of messages.

import { expect, it } from 'vitest';

import { parseView, pipeOf, scopeOf } from '../src/state/view';
import { curlCommand, searchCommand } from '../src/text/commands';
import { byteOfIndex, indexOfByte } from '../src/text/offsets';
import { ageText, patternClause, patternPieces } from '../src/text/patterns';
import { cutQuestion, joinQuestion, sorted, sortingOf, stageName, stagesOf } from '../src/text/pipe';
import { barEnd } from '../src/text/stamp';

it('cuts a question at its first pipe, and not at one in quotes', () => {
  expect(cutQuestion('a "b|c" x\\|y | top host | head 5 ')).toEqual({
    query: 'a "b|c" x\\|y',
    pipe: '| top host | head 5',
  });
  expect(cutQuestion(' a ')).toEqual({ query: 'a', pipe: '' });
  expect(cutQuestion('| count')).toEqual({ query: '', pipe: '| count' });
  expect(joinQuestion({ query: '', pipe: '| count' })).toBe('| count');
});

it('takes a pipe apart', () => {
  expect(stagesOf('| top nvpair:"a|b" 5| head 2')).toEqual(['top nvpair:"a|b" 5', 'head 2']);
  expect(stagesOf('')).toEqual([]);
});

it('sorts by one column at a time', () => {
  expect(sortingOf('| count by host')).toBeNull();
  const pipe = sorted('| count by host', { column: 'host', descending: false });
  expect(pipe).toBe('| count by host | sort host');
  expect(sortingOf(pipe)).toEqual({ column: 'host', descending: false });
  expect(sorted(pipe, { column: 'nvpair:"a b"', descending: true })).toBe(
    '| count by host | sort nvpair:"a b" desc',
  );
});

it('names fields as stages do', () => {
  expect(['host', 'req@1.size', 'logspace', 'a b', 'time'].map(stageName)).toEqual([
    'host',
    'req@1.size',
    'logspace',
    'nvpair:"a b"',
    'nvpair:"time"',
  ]);
});

it('shows the table of a question, but not in a context', () => {
  const view = parseView('?q=a+|+count&from=now-1h');
  expect(pipeOf(view)).toBe('| count');
  expect(scopeOf(view)['q']).toBe('a');
  expect(pipeOf({ ...view, around: 'host', at: 'main:1' })).toBe('');
});

it('asks for a table in a terminal', () => {
  const scope = { q: '| count', from: '', to: '', logspace: '' };
  expect(curlCommand('http://x', scope)).toContain('/api/v1/query ');
  expect(searchCommand('http://x', scope)).toContain("logwood query '| count'");
});

it('searches for the messages of a pattern and for no others', () => {
  const clause = patternClause('GET /a?b=<*> (took <*> ms)\n');
  expect(clause).toBe('message:/(?s)^GET \\/a\\?b=.* \\(took .* ms\\)\\x0a$/');
  expect(patternClause('say "<*>" in C:\\dir')).toBe('pattern:"say \\"<*>\\" in C:\\\\dir"');
  expect(patternClause('')).toBe('message:/(?s)^$/');
  expect(patternClause('x'.repeat(5_000))).not.toContain('$');
});

it('shows what varies in a pattern', () => {
  expect(patternPieces('<*>: took <*>').map(({ varies }) => varies)).toEqual([true, false, true]);
  expect([60_000, 7_200_000, 9e9].map(ageText)).toEqual([
    'New in the last hour',
    'New in the last 24 hours',
    'Known for more than 7 days',
  ]);
});

it('ends a bar where the next one starts', () => {
  const range = { from: '2026-01-01T00:00:00.000000000Z', to: '2026-01-01T00:01:00.000000000Z' };
  expect(barEnd('2026-01-01T00:00:20.000000000Z', range, 3)).toBe('2026-01-01T00:00:40.000000000Z');
});

it('counts bytes as the server does', () => {
  const text = 'a\u00fc\u{1f600}b';
  for (const index of [0, 1, 2, 4, 5]) expect(indexOfByte(text, byteOfIndex(text, index))).toBe(index);
  expect(byteOfIndex(text, 4)).toBe(7);
});
