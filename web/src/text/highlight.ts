// What to mark in the rows: the plain terms and phrases that a query asks for.
//
// This repeats the meaning of a term (it may not cut a word; `*` and `?` run over anything but white
// space and the delimiters) closely enough for colours. Regular expressions of the query are not run
// here: a slow one would stop the page.

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

const WORD = '(?:[A-Za-z0-9_]|[^\\x00-\\x7f])';

/** A place that does not cut a word: where a match may begin or end. */
const EDGE = `(?:(?<!${WORD})|(?!${WORD}))`;

/** What a wildcard stands for. */
const RUN = `[^\\x00-\\x20\\x7f&:~?!\\[\\]=,;()'"]`;

/** More stars than this make a regular expression slow on hostile text; they are not marked. */
const STARS_MAX = 2;

/** Longest run that one star is followed over. */
const STAR_LENGTH_MAX = 128;

/** Most terms marked at once. */
const TERMS_MAX = 64;

/** The characters of a word or phrase; null stands for `*`, undefined for `?`. */
function unescape(text: string, hasWildcards: boolean): (string | null | undefined)[] {
  const characters: (string | null | undefined)[] = [];
  for (const [part] of text.matchAll(/\\[*?\\"/()[\]=<>:|]|[^]/gu)) {
    if (part.length === 2 && part.startsWith('\\')) characters.push(part.slice(1));
    else if (part === '*' && hasWildcards) characters.push(null);
    else if (part === '?' && hasWildcards) characters.push(undefined);
    else characters.push(part);
  }
  return characters;
}

/** The expression that finds a text; null where it would be slow or find everything. */
function pattern(text: string, hasWildcards: boolean): string | null {
  const characters = unescape(text, hasWildcards);
  const stars = characters.filter((character) => character === null).length;
  if (stars > STARS_MAX || !characters.some((character) => typeof character === 'string')) return null;
  const body = characters.map((character) => {
    if (character === null) return `${RUN}{0,${STAR_LENGTH_MAX}}`;
    return character?.replace(/[\\^$.*+?()[\]{}|]/, '\\$&') ?? RUN;
  });
  return `${EDGE}${body.join('')}${EDGE}`;
}

/** The words and phrases of a query, with the fields that hold them. */
function searchedTexts(query: string): { target: string; source: string | null }[] {
  const found: { target: string; source: string | null }[] = [];
  const tokens = tokenize(query).filter((token) => token.target !== null);
  for (let index = 0; index < tokens.length; index += 1) {
    const { kind, start, target } = tokens[index] as Token;
    let end = (tokens[index] as Token).end;
    // A word with wildcards is several pieces without space between them.
    while (kind !== 'phrase' && tokens[index + 1]?.start === end) {
      index += 1;
      end = (tokens[index] as Token).end;
    }
    const text = query.slice(start, end);
    const source =
      kind === 'phrase' ? pattern(text.replace(/^"|"$/g, ''), false) : pattern(text, true);
    found.push({ target: target ?? '', source });
  }
  return found;
}

/** The expressions that find what a query's own words match, per column. */
export function marksOf(query: string): Marks {
  const marks: Marks = {};
  const texts = searchedTexts(query);
  for (const column of ['message', 'host', 'program'] as const) {
    const sources = texts
      .filter(({ target }) => target === column || (target === '' && column === 'message'))
      .flatMap(({ source }) => (source === null ? [] : [source]));
    if (sources.length > 0) marks[column] = new RegExp(sources.slice(0, TERMS_MAX).join('|'), 'giu');
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
