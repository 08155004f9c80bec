// Completions for the query box: the server's choices, and queries asked before.

import * as api from '../api/client';
import type { Params } from '../api/client';
import type { Choice } from '../api/types';
import { countText } from '../text/figures';
import { visible } from '../text/glyphs';
import { byteOfIndex, indexOfByte } from '../text/offsets';

export interface Completion {
  label: string;
  /** What is put in place of what was typed. */
  apply: string;
  detail: string;
}

export interface Completions {
  /** The part of the text that is replaced. */
  from: number;
  to: number;
  options: Completion[];
}

/** What completions are made of. */
export interface Known {
  /** Queries asked before, the latest first. */
  queries: readonly string[];
  /** Where names and values are looked for: the range and the logspace of the page. */
  scope: Params;
}

const QUERIES_MAX = 40;
const LABEL_LENGTH_MAX = 120;

/** Words behind which something else has to stand. */
const OPEN_KINDS: readonly Choice['kind'][] = ['keyword', 'command'];

/** What can stand at a place of a text. */
export async function complete(
  text: string,
  cursor: number,
  known: Known,
  signal: AbortSignal,
): Promise<Completions> {
  const asked = queries(known.queries, text);
  if (text.trim() === '') return { from: 0, to: text.length, options: asked };
  const params = { ...known.scope, q: text, at: byteOfIndex(text, cursor) };
  const answer = await api.complete(params, signal);
  const from = indexOfByte(text, answer.start);
  const to = indexOfByte(text, answer.end);
  const typed = text.slice(from, to);
  const options = answer.choices.map(option).filter(({ apply }) => apply.trim() !== typed);
  // A query asked before replaces the whole text, so it is offered for the whole text only.
  return { from, to, options: from === 0 && to === text.length ? [...options, ...asked] : options };
}

function option({ text, kind, count, usage }: Choice): Completion {
  return {
    label: visible(text.slice(0, LABEL_LENGTH_MAX)),
    apply: OPEN_KINDS.includes(kind) ? `${text} ` : text,
    detail: usage ?? (count === null ? kind : countText(count)),
  };
}

function queries(asked: readonly string[], typed: string): Completion[] {
  return asked
    .filter((query) => query.startsWith(typed) && query !== typed)
    .slice(0, QUERIES_MAX)
    .map((query) => ({ label: query, apply: query, detail: 'asked before' }));
}
