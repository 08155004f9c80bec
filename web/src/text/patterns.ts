// Patterns of messages: what they have in common, with `<*>` for each part that varies.

import { quote } from './query-text';

const VARIES = '<*>';

/** More of a pattern than this would not fit into a query. */
const LENGTH_MAX = 2_000;

export interface PatternPiece {
  text: string;
  varies: boolean;
}

/** A pattern cut into what is common and what varies. */
export function patternPieces(pattern: string): PatternPiece[] {
  return pattern
    .split(VARIES)
    .flatMap((text, index) => [
      ...(index > 0 ? [{ text: '\u2026', varies: true }] : []),
      ...(text === '' ? [] : [{ text, varies: false }]),
    ]);
}

/** A text as a regular expression between slashes has it. */
function escaped(text: string): string {
  return text
    .replace(/[\\.+*?()|[\]{}^$/]/g, '\\$&')
    .replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/**
 * The clause that finds the messages of a pattern. One that the query box could not hold in quotes
 * is an expression: without a text, over several lines, or too long.
 */
export function patternClause(pattern: string): string {
  if (pattern !== '' && pattern.length <= LENGTH_MAX && !/\p{Cc}/u.test(pattern)) {
    return `pattern:${quote(pattern)}`;
  }
  const source = pattern.slice(0, LENGTH_MAX).split(VARIES).map(escaped).join('.*');
  return `message:/(?s)^${source}${pattern.length > LENGTH_MAX ? '' : '$'}/`;
}

const HOUR_MS = 3_600_000;

const AGES: readonly (readonly [limitMs: number, name: string])[] = [
  [HOUR_MS, 'New in the last hour'],
  [24 * HOUR_MS, 'New in the last 24 hours'],
  [7 * 24 * HOUR_MS, 'New in the last 7 days'],
];

/** Since when something that is so old is there. */
export function ageText(ageMs: number): string {
  return AGES.find(([limitMs]) => ageMs < limitMs)?.[1] ?? 'Known for more than 7 days';
}
