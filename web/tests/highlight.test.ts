import { describe, expect, it } from 'vitest';

import { marksOf, pieces } from '../src/text/highlight';

/** The text with its matches between « and ». */
function marked(query: string, text: string): string {
  return pieces(text, marksOf(query).message)
    .map((piece) => (piece.match ? `«${piece.text}»` : piece.text))
    .join('');
}

describe('marks', () => {
  it.each([
    ['error', 'Error: 2 errors, [error]', '«Error»: 2 errors, [«error»]'],
    ['*pple', 'a green-apple pie', 'a «green-apple» pie'],
    ['web-*', 'from web-01.example.com:80', 'from «web-01.example.com»:80'],
    ['10.0.?.1', 'at 10.0.7.1, 10.0.77.1', 'at «10.0.7.1», 10.0.77.1'],
    ['/var/log', 'open /var/log/x in /var/logs', 'open «/var/log»/x in /var/logs'],
    ['"conn* reset"', 'conn* reset, conn: reset', '«conn* reset», conn: reset'],
    ['a\\*b', 'a*b axb', '«a*b» axb'],
    ['ÉTÉ', 'un été à Paris', 'un «été» à Paris'],
    ['NOT error timeout', 'error timeout', 'error «timeout»'],
    ['host:web1 x', 'web1 x', 'web1 «x»'],
    ['message:(a OR b)', 'a b c', '«a» «b» c'],
    ['[err', 'an [err]', 'an «[err»]'],
    ['*', 'anything', 'anything'],
    ['/x+/', 'xxx', 'xxx'],
    ['a*b*c*d', 'abcd', 'abcd'],
  ])('of %s', (query, text, expected) => {
    expect(marked(query, text)).toBe(expected);
  });

  it('go to the column of their field', () => {
    const marks = marksOf('host:web* program:sshd oops');
    expect('web-1'.match(marks.host ?? /$^/)?.[0]).toBe('web-1');
    expect(marks.program?.source).toContain('sshd');
    expect(marks.message?.source).toContain('oops');
  });

  it('stay fast on hostile text', () => {
    const started = performance.now();
    pieces('a'.repeat(4_000), marksOf('*a*b').message);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('pieces', () => {
  it('escape unseen characters inside and outside of matches', () => {
    expect(pieces('a\tb \u202eevil\x1b[0m', /b \u202e/g)).toEqual([
      { text: 'a', match: false, escaped: false },
      { text: '\\t', match: false, escaped: true },
      { text: 'b ', match: true, escaped: false },
      { text: '\\u{202e}', match: true, escaped: true },
      { text: 'evil', match: false, escaped: false },
      { text: '\\x1b', match: false, escaped: true },
      { text: '[0m', match: false, escaped: false },
    ]);
  });
});
