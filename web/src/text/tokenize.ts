// A small tokenizer of the query language, for colours while typing.
//
// The grammar lives in the server; this only guesses the kind of each piece, never fails, and uses
// the server's names of the kinds. Diagnostics come from the server.

export type TokenKind =
  | 'term'
  | 'wildcard'
  | 'field'
  | 'operator'
  | 'phrase'
  | 'regex'
  | 'paren';

/** A piece of the query; offsets are UTF-16 code units, `end` is exclusive. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
}

const RULES: readonly (readonly [TokenKind, RegExp])[] = [
  ['phrase', /"(?:[^"\\]|\\.)*"?/y],
  ['regex', /\/(?:[^/\\\s]|\\.)(?:[^/\\]|\\.)*\/(?=[\s)]|$)/y],
  ['operator', /(?:AND|OR|NOT|TO|IN)(?=[\s()[\]]|$)/y],
  ['operator', /[<>]=?|=|\||\[|\]/y],
  ['paren', /[()]/y],
  ['field', /[\p{L}_@][\p{L}\p{N}_.@-]*:(?!\/\/)/uy],
];

const WORD = /[^\s()"]+/y;
const SPACE = /\s+/y;

function matchAt(rule: RegExp, text: string, at: number): number {
  rule.lastIndex = at;
  return rule.test(text) ? rule.lastIndex : at;
}

/** The piece at `start`. What follows a field's colon at once is its value, never another field. */
function next(text: string, start: number, previous: Token | undefined): Token {
  const isValue = previous?.kind === 'field' && previous.end === start;
  for (const [kind, rule] of RULES) {
    if (isValue && kind === 'field') continue;
    const end = matchAt(rule, text, start);
    if (end > start) return { kind, start, end };
  }
  const end = Math.max(matchAt(WORD, text, start), start + 1);
  return { kind: /[*?]/.test(text.slice(start, end)) ? 'wildcard' : 'term', start, end };
}

/** The pieces of a query, in order, without the white space between them. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = matchAt(SPACE, text, 0);
  while (at < text.length) {
    const token = next(text, at, tokens.at(-1));
    tokens.push(token);
    at = matchAt(SPACE, text, token.end);
  }
  return tokens;
}
