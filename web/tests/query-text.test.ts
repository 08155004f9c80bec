import { describe, expect, it } from 'vitest';

import { clauses, fieldPrefix, quote, withFilter, withoutClause } from '../src/text/query-text';

describe('a filter', () => {
  it.each([
    ['', 'web1', false, 'host:="web1"'],
    ['', 'web1', true, 'NOT host:="web1"'],
    ['error', 'web1', false, 'error host:="web1"'],
    ['a OR b', 'web1', true, '(a OR b) NOT host:="web1"'],
    ['(a OR b) c', 'web1', false, '(a OR b) c host:="web1"'],
    ['"a OR b"', 'web1', false, '"a OR b" host:="web1"'],
    ['a host:="web1"', 'web1', false, 'a host:="web1"'],
    ['a host:="web1"', 'web1', true, 'a NOT host:="web1"'],
    ['a NOT host:="web1"', 'web1', false, 'a host:="web1"'],
    ['', 'a "b" \\ *?', false, 'host:="a \\"b\\" \\\\ \\*\\?"'],
  ])('on %j by %j', (query, value, exclude, expected) => {
    expect(withFilter(query, 'host:', value, exclude)).toBe(expected);
  });

  it('names any field of a record', () => {
    expect(fieldPrefix('meta.sequenceId')).toBe('meta.sequenceId:');
    expect(fieldPrefix('host')).toBe('nvpair:"host"=');
    expect(fieldPrefix('odd "name"*')).toBe('nvpair:"odd \\"name\\"\\*"=');
    expect(withFilter('', fieldPrefix('a b'), 'v', false)).toBe('nvpair:"a b"=="v"');
  });
});

it('a phrase holds any text', () => {
  expect(quote('say "hi" \\ (')).toBe('"say \\"hi\\" \\\\ ("');
});

describe('the clauses of a query', () => {
  it.each([
    ['a b', ['a', 'b']],
    ['a AND NOT b', ['a', 'NOT b']],
    ['host:="x y" NOT (a OR b) size:[1 TO 2] c*d', ['host:="x y"', 'NOT (a OR b)', 'size:[1 TO 2]', 'c*d']],
    ['host:(a OR b) severity:<=err', ['host:(a OR b)', 'severity:<=err']],
    ['a', null],
    ['a OR b c', null],
    ['', null],
  ])('of %j', (query, expected) => expect(clauses(query)).toEqual(expected));

  it('are left out one by one', () => {
    expect(withoutClause(['a', 'NOT b', 'c'], 1)).toBe('a c');
  });
});
