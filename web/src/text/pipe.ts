// A question is a query and a pipe: `error | count by host | head 5`.

import { filterPrefix } from './fields';
import { tokenize } from './tokenize';

/** What the page asks for by itself: the values of a field, and the patterns of messages over time. */
export const STATISTICS = '| count by host';
export const PATTERNS = '| patterns 50 bars 40';
export const NEW_PATTERNS = '| patterns 100000 bars 40 | sort first desc';

export interface Question {
  query: string;
  /** From the first `|` on; empty where there is none. */
  pipe: string;
}

/** Where the pipes of a question stand. */
function pipes(question: string): number[] {
  return tokenize(question)
    .filter(({ kind, start }) => kind === 'operator' && question[start] === '|')
    .map(({ start }) => start);
}

export function cutQuestion(question: string): Question {
  const at = pipes(question)[0] ?? question.length;
  return { query: question.slice(0, at).trim(), pipe: question.slice(at).trim() };
}

export function joinQuestion({ query, pipe }: Question): string {
  return `${query} ${pipe}`.trim();
}

/** The stages of a pipe, as they are written. */
export function stagesOf(pipe: string): string[] {
  const starts = pipes(pipe);
  return starts.map((start, index) => pipe.slice(start + 1, starts[index + 1]).trim());
}

export interface Sorting {
  column: string;
  descending: boolean;
}

/** The order that the last stage of a pipe gives; null where it gives none. */
export function sortingOf(pipe: string): Sorting | null {
  const match = /^sort\s+(.+?)(\s+desc|\s+asc)?$/i.exec(stagesOf(pipe).at(-1) ?? '');
  return match && { column: match[1] ?? '', descending: /desc$/i.test(match[2] ?? '') };
}

/** The pipe in the order of a column, in the place of an order that its last stage gives. */
export function sorted(pipe: string, { column, descending }: Sorting): string {
  const stages = stagesOf(pipe);
  if (sortingOf(pipe)) stages.pop();
  stages.push(`sort ${column}${descending ? ' desc' : ''}`);
  return stages.map((stage) => `| ${stage}`).join(' ');
}

/** The name of a field as a stage takes it. */
export function stageName(field: string): string {
  const prefix = filterPrefix(field);
  if (prefix === null) return field;
  const name = prefix.slice(0, -1);
  // These have a meaning of their own there.
  return /^(?:id|received|time|logspace|by|desc|asc)$/i.test(name) ? `nvpair:"${name}"` : name;
}
