// Completions for the query box: names from the rows at hand, values with their counts from the
// server, and queries asked before.

import * as api from '../api/client';
import type { Params } from '../api/client';
import type { StatsAnswer } from '../api/types';
import { placeOf, valueText, type Completion, type Completions } from '../text/completion';
import { BUILT_IN_FIELDS } from '../text/fields';
import { countText } from '../text/figures';
import { visible } from '../text/glyphs';

/** What is known without asking. */
export interface Known {
  /** Names of fields beside those that every record has. */
  fields: readonly string[];
  /** Queries asked before, the latest first. */
  queries: readonly string[];
  /** Where values are looked for: the range and the logspace of the page. */
  scope: Params;
}

/** Values asked for at once; the most frequent ones, which are filtered here while typing goes on. */
const VALUES_ASKED = 500;
const OPTIONS_MAX = 40;
const LABEL_LENGTH_MAX = 120;

const KEYWORDS: readonly [string, string][] = [
  ['AND', 'both; a space means the same'],
  ['OR', 'either'],
  ['NOT', 'all but'],
];

const OTHER_NAMES: readonly [string, string][] = [
  ['message', 'the text of the record'],
  ['ip', 'an address or network anywhere'],
];

export class Completer {
  /** The last values asked for, as long as they are of the same field and scope. */
  #values: { key: string; answer: Promise<StatsAnswer> } | null = null;

  async complete(
    text: string,
    cursor: number,
    known: Known,
    signal: AbortSignal,
  ): Promise<Completions | null> {
    if (text.trim() === '') return { from: 0, options: queries(known.queries, '') };
    const place = placeOf(text, cursor);
    if (!place) return null;
    if (place.kind === 'value') {
      const options = await this.#ofField(place.field, place.typed, known.scope, signal);
      return { from: place.from, options };
    }
    const options = words(place.typed, known.fields);
    // A query asked before replaces the whole text, so it is offered for the whole text only.
    if (place.from === 0) options.push(...queries(known.queries, place.typed));
    return { from: place.from, options };
  }

  async #ofField(
    field: string,
    typed: string,
    scope: Params,
    signal: AbortSignal,
  ): Promise<Completion[]> {
    const params = { ...scope, q: '', by: field, limit: VALUES_ASKED };
    const key = JSON.stringify(params);
    if (this.#values?.key !== key) this.#values = { key, answer: api.stats(params, signal) };
    const asked = this.#values;
    try {
      const { values } = await asked.answer;
      const wanted = typed.toLowerCase();
      const found = values.filter(({ value }) => value.toLowerCase().includes(wanted));
      const first = found.filter(({ value }) => value.toLowerCase().startsWith(wanted));
      const others = found.filter((each) => !first.includes(each));
      return [...first, ...others].slice(0, OPTIONS_MAX).map(({ value, count }) => ({
        label: visible(value.slice(0, LABEL_LENGTH_MAX)),
        apply: valueText(value),
        detail: countText(count),
      }));
    } catch {
      // No values without an answer; the next key asks again.
      if (this.#values === asked) this.#values = null;
      return [];
    }
  }
}

function words(typed: string, fields: readonly string[]): Completion[] {
  const builtIn = BUILT_IN_FIELDS.filter((name) => name !== 'logspace');
  const named = [
    ...builtIn.map((name): [string, string] => [name, 'field']),
    ...OTHER_NAMES,
    ...fields.map((name): [string, string] => [name, 'field of records']),
  ].map(([name, detail]) => ({ label: name, apply: `${name}:`, detail }));
  const keywords = KEYWORDS.map(([word, detail]) => ({ label: word, apply: `${word} `, detail }));
  const wanted = typed.toLowerCase();
  return [...named, ...keywords]
    .filter(({ label }) => label.toLowerCase().startsWith(wanted) && label !== typed)
    .slice(0, OPTIONS_MAX);
}

function queries(asked: readonly string[], typed: string): Completion[] {
  return asked
    .filter((query) => query.startsWith(typed) && query !== typed)
    .slice(0, OPTIONS_MAX)
    .map((query) => ({ label: query, apply: query, detail: 'asked before' }));
}
