// How uPlot paints the histogram: the labels of its axes and the shape of its bars.

import type uPlot from 'uplot';

import { dateText, timeText, type Zone } from '../text/clock';
import { shortCount } from '../text/figures';

/** Lowest height of a bar that is not empty, so that one record in a million can be seen. */
const BAR_HEIGHT_MIN = 2;

/** Lowest width of a bar: an instant is as narrow as that. */
const BAR_WIDTH_MIN = 3;

const MINUTE = 60;
const DAY = 86_400;

/** Labels of the time axis in the zone of the page: a date at midnight, else the time. */
export function axisTimes(zone: Zone): uPlot.Axis.DynamicValues {
  return (_plot, ticks, _axis, _space, step) =>
    ticks.map((seconds) => {
      const ms = Math.round(seconds * 1000);
      const time = timeText(ms, zone);
      if (step >= 28 * DAY) return dateText(ms, zone).slice(0, 7);
      if (step >= DAY || time === '00:00:00.000') return dateText(ms, zone).slice(5);
      if (step >= MINUTE) return time.slice(0, 5);
      return step >= 1 ? time.slice(0, 8) : time;
    });
}

/** Room for each label of the time axis: the shorter the time, the longer its label. */
export function axisSpace(_plot: uPlot, _axis: number, from: number, to: number): number {
  if (to - from > 10 * MINUTE) return 60;
  return to - from > 5 ? 76 : 104;
}

/** Labels of the count axis; counts have no halves. */
export const axisCounts: uPlot.Axis.DynamicValues = (_plot, ticks) =>
  ticks.map((tick) => (Number.isInteger(tick) ? shortCount(tick) : ''));

/**
 * Bars of a series from one start to the next, the last to `end`, in seconds: they are as wide as
 * the time that they stand for.
 */
export function barPaths(plot: uPlot, series: number, end: number): uPlot.Series.Paths {
  const starts = plot.data[0] as number[];
  const counts = plot.data[series] as number[];
  const fill = new Path2D();
  const base = plot.valToPos(0, 'y', true);
  counts.forEach((count, index) => {
    if (count === 0) return;
    const left = plot.valToPos(starts[index] ?? 0, 'x', true);
    const right = plot.valToPos(starts[index + 1] ?? end, 'x', true);
    const gap = right - left > 4 * devicePixelRatio ? devicePixelRatio : 0;
    const top = Math.min(plot.valToPos(count, 'y', true), base - BAR_HEIGHT_MIN * devicePixelRatio);
    fill.rect(left + gap / 2, top, Math.max(right - left - gap, BAR_WIDTH_MIN * devicePixelRatio), base - top);
  });
  return { fill, stroke: null, flags: 0 };
}
