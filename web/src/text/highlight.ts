// What to mark in the rows: the plain terms and phrases that a query asks for.
//
// This repeats the meaning of a term (it stands bounded by other than word characters; `*` and `?`
// run over anything but white space and the delimiters) closely enough for colours. Regular
// expressions of the query are not run here: a slow one would stop the page.

import { runs } from './glyphs';
import { tokenize, type Token } from './tokenize';

/** The columns in which matches are marked. */
export type MarkedColumn = 'message' | 'host' | 'program';

export type Marks = Partial<Record<MarkedColumn, RegExp>>;

export interface Piece {
  text: string;
  match: boolean;
  escaped: boolean;
}

const WORD_CHARACTER = '[A-Za-z0-9_]|[^\\x00-\\x7f]';
const RUN = `[^\\x00-\\x20\\x7f&:~?!\\[\\]=,;()'"]`;

/** More stars than this make a regular expression slow on hostile text; they are not marked. */
const STARS_MAX = 2;

/** Longest run that one star is followed over. */
const STAR_LENGTH_MAX = 128;

/** Most terms marked at once. */
const TERMS_MAX = 64;

function termPattern(term: string): string | null {
  const stars = term.split('*').length - 1;
  if (stars > STARS_MAX || !/[^*?]/.test(term)) return null;
  const body = [...term].map((character) => {
    if (character === '*') return `${RUN}{0,${STAR_LENGTH_MAX}}`;
    if (character === '?') return RUN;
    return character.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  return `(?<!${WORD_CHARACTER})${body.join('')}(?!${WORD_CHARACTER})`;
}

function unquote(phrase: string): string {
  return phrase.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1');
}

function columnOf(field: string): MarkedColumn | null {
  const name = field.slice(0, -1).toLowerCase();
  return name === 'message' || name === 'host' || name === 'program' ? name : null;
}

/** The index after the operand at `index`: a token, a group, or a field with its value. */
function afterOperand(query: string, tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let at = index; at < tokens.length; at += 1) {
    const { kind, start, end } = tokens[at] as Token;
    const text = query.slice(start, end);
    if (text === '(' || text === '[') depth += 1;
    if (text === ')' || text === ']') depth -= 1;
    const opensMore = kind === 'field' || text === 'NOT' || /^[<>=]/.test(text);
    if (depth <= 0 && !opensMore) return at + 1;
  }
  return tokens.length;
}

type Found = Record<MarkedColumn, string[]>;

/** Collects the patterns of the tokens from `index` to `end`, which ask about `column`. */
function collect(
  found: Found,
  query: string,
  tokens: readonly Token[],
  index: number,
  end: number,
  column: MarkedColumn,
): void {
  let at = index;
  while (at < end) {
    const { kind, start, end: stop } = tokens[at] as Token;
    const text = query.slice(start, stop);
    if (text === '|') return;
    const next = afterOperand(query, tokens, at);
    if (kind === 'field') {
      const scoped = columnOf(text);
      if (scoped) collect(found, query, tokens, at + 1, next, scoped);
    } else if (text === '[' || text === 'NOT') {
      // Ranges have no text to mark, and what is negated does not occur.
    } else {
      if (kind === 'term' || kind === 'wildcard' || kind === 'phrase') {
        const pattern = termPattern(kind === 'phrase' ? unquote(text) : text);
        if (pattern && found[column].length < TERMS_MAX) found[column].push(pattern);
      }
      at += 1;
      continue;
    }
    at = next;
  }
}

/** The expressions that find what a query's own words match, per column. */
export function marksOf(query: string): Marks {
  const found: Found = { message: [], host: [], program: [] };
  const tokens = tokenize(query);
  collect(found, query, tokens, 0, tokens.length, 'message');
  const marks: Marks = {};
  for (const column of ['message', 'host', 'program'] as const) {
    if (found[column].length > 0) marks[column] = new RegExp(found[column].join('|'), 'giu');
  }
  return marks;
}

function pushRuns(out: Piece[], text: string, match: boolean): void {
  for (const run of runs(text)) out.push({ ...run, match });
}

/** A text cut into pieces to be drawn: matches marked, unseen characters escaped. */
export function pieces(text: string, mark: RegExp | undefined): Piece[] {
  const out: Piece[] = [];
  let start = 0;
  if (mark) {
    for (const match of text.matchAll(mark)) {
      if (match[0] === '') continue;
      pushRuns(out, text.slice(start, match.index), false);
      pushRuns(out, match[0], true);
      start = match.index + match[0].length;
    }
  }
  pushRuns(out, text.slice(start), false);
  return out;
}
