// A histogram by the values of a field: the whole, and beside it the most frequent values.
//
// The server counts one query at a time, so each value is a question of its own, over exactly the
// range and bars of the whole.

import * as api from '../api/client';
import type { Params } from '../api/client';
import type { HistogramAnswer } from '../api/types';
import { filterPrefix } from '../text/fields';
import { withFilter } from '../text/query-text';
import { SERIES_MAX } from '../text/series';
import { severityRank } from '../text/severity';

export interface SplitPart {
  value: string;
  total: number;
  /** For each bar of the whole. */
  counts: readonly number[];
}

export interface Split {
  field: string;
  /** The bars that the parts belong to. */
  whole: HistogramAnswer;
  parts: readonly SplitPart[];
  /** How many other values there are. */
  others: number;
}

function narrowed(scope: Params, field: string, value: string): Params {
  const prefix = filterPrefix(field);
  if (prefix === null) return { ...scope, logspace: value };
  return { ...scope, q: withFilter(String(scope['q'] ?? ''), prefix, value, false) };
}

/** The parts of a histogram; severities in their own order, other values by frequency. */
export async function splitHistogram(
  scope: Params,
  field: string,
  whole: HistogramAnswer,
  signal: AbortSignal,
): Promise<Split> {
  const range = { from: whole.from, to: whole.to };
  const limit = field === 'severity' ? 8 : SERIES_MAX;
  const top = await api.stats({ ...scope, ...range, by: field, limit }, signal);
  const parts = await Promise.all(
    top.values.map(async ({ value }) => {
      const params = { ...narrowed(scope, field, value), ...range, bars: whole.bars.length };
      const answer = await api.histogram(params, signal);
      return { value, total: answer.total, counts: answer.bars.map((bar) => bar.count) };
    }),
  );
  if (field === 'severity') parts.sort((a, b) => severityRank(a.value) - severityRank(b.value));
  return { field, whole, parts, others: top.distinct - parts.length };
}
