// Which bars are selected, and what that means in time.
//
// Brush, click and keyboard all select whole bars, so that every zoom begins and ends where bars
// do, and the count that was read is the count that is found.

import type { HistogramAnswer } from '../api/types';

/** The bars of one value of a field. */
export interface HistogramPart {
  value: string;
  counts: readonly number[];
  /** The name of its colour. */
  color: string;
}

/**
 * Parts as heights to be painted one over the other: the sum of all first, the first part alone
 * last. There are always `height` of them, so that the plot keeps its series.
 */
export function stackOf(
  parts: readonly HistogramPart[],
  height: number,
  bars: number,
): number[][] {
  const sums: number[][] = [];
  let below = new Array<number>(bars).fill(0);
  for (const part of parts.slice(0, height)) {
    below = below.map((sum, bar) => sum + (part.counts[bar] ?? 0));
    sums.push(below);
  }
  while (sums.length < height) sums.push(new Array<number>(bars).fill(0));
  return sums.reverse();
}

/** How many records of each part are in a run of bars; those with any, the most frequent first. */
export function partsOf(
  parts: readonly HistogramPart[],
  run: BarRun,
): { value: string; count: number }[] {
  return parts
    .map(({ value, counts }) => {
      const inside = counts.slice(run.first, run.last + 1);
      return { value, count: inside.reduce((sum, count) => sum + count, 0) };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/** A run of bars, both ends included. */
export interface BarRun {
  first: number;
  last: number;
}

/** A run from any two bars, in order and inside the histogram. */
export function runOf(one: number, other: number, bars: number): BarRun {
  const inside = (index: number) => Math.max(0, Math.min(index, bars - 1));
  return { first: inside(Math.min(one, other)), last: inside(Math.max(one, other)) };
}

/** The time range of a run, in the API's own words. */
export function rangeOf(answer: HistogramAnswer, run: BarRun): { from: string; to: string } {
  return {
    from: answer.bars[run.first]?.start ?? '',
    to: answer.bars[run.last + 1]?.start ?? answer.to ?? '',
  };
}

export function countOf(answer: HistogramAnswer, run: BarRun): number {
  return answer.bars.slice(run.first, run.last + 1).reduce((sum, bar) => sum + bar.count, 0);
}

/** What a key does to the selection: an arrow moves it, with Shift it grows from where it began. */
export interface KeySelection {
  anchor: number;
  focus: number;
}

/** The selection after a key, or null if the key has no meaning here. */
export function selectByKey(
  selection: KeySelection | null,
  key: string,
  extend: boolean,
  bars: number,
): KeySelection | null {
  const at = selection?.focus ?? (key === 'ArrowLeft' || key === 'End' ? bars : -1);
  const targets: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: bars - 1,
  };
  const target = targets[key];
  if (target === undefined) return null;
  const focus = Math.max(0, Math.min(target, bars - 1));
  return { anchor: extend && selection ? selection.anchor : focus, focus };
}
