// The tokenizer against the server's scanner, and what it adds: which text a record must hold.

import { describe, expect, it } from 'vitest';

import { indexOfByte } from '../src/text/offsets';
import { tokenize } from '../src/text/tokenize';
// Made by `query::parse` of the Rust crate: kinds and UTF-8 offsets of the tokens of each query.
import golden from './tokens.golden.json';

describe('tokenize', () => {
  it.each(golden)('agrees with the server on $query', ({ query, tokens }) => {
    const expected = tokens.map(([kind, start, end]) => [
      kind,
      indexOfByte(query, Number(start)),
      indexOfByte(query, Number(end)),
    ]);
    expect(tokenize(query).map(({ kind, start, end }) => [kind, start, end])).toEqual(expected);
  });

  it('covers every character that is not white space, whatever the text', () => {
    const alphabet = ['a', ':', '"', '\\', '/', '(', ')', '[', ']', ' ', '*', '=', '<', 'NOT', '|', '😀'];
    let state = 1;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from({ length: random(12) }, () => alphabet[random(alphabet.length)]).join('');
      let at = 0;
      for (const { start, end } of tokenize(text)) {
        expect(text.slice(at, start).trim(), text).toBe('');
        expect(end, text).toBeGreaterThan(start);
        at = end;
      }
      expect(text.slice(at).trim(), text).toBe('');
    }
  });

  it('says which field holds a text, and nothing of what is negated or compared', () => {
    const targets = (query: string) =>
      tokenize(query)
        .filter((token) => token.target !== null)
        .map(({ start, end, target }) => `${target}=${query.slice(start, end)}`);
    expect(targets('a host:b NOT c d')).toEqual(['=a', 'host=b', '=d']);
    expect(targets('NOT (a host:b) NOT NOT c')).toEqual(['=c']);
    expect(targets('host:(a OR NOT b) severity:<=err pid:[1 TO 5]')).toEqual(['host=a']);
  });
});
