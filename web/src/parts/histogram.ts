// The histogram of a search: its whole range, drawn by uPlot, and the way to zoom in time.
//
// A bar is zoomed into by a click, a run of bars by a brush or with the keyboard: the chart is a
// slider, whose value is the bar, for those who do not see it, with a table of all bars beside it.

import 'uplot/dist/uPlot.min.css';
import './histogram.css';

import type uPlot from 'uplot';

import type { HistogramAnswer } from '../api/types';
import { spanText, type Zone } from '../text/clock';
import { countText, plural } from '../text/figures';
import { visible } from '../text/glyphs';
import { textMs } from '../text/stamp';
import {
  countOf,
  partsOf,
  rangeOf,
  stackOf,
  runOf,
  selectByKey,
  type BarRun,
  type HistogramPart,
  type KeySelection,
} from './histogram-bars';
import { axisCounts, axisSpace, axisTimes, barPaths } from './histogram-paint';
import { element } from './row-view';

export interface HistogramState {
  answer: HistogramAnswer;
  zone: Zone;
  /** The same bars by the values of a field, drawn in front of the whole. */
  parts: readonly HistogramPart[];
}

const HEIGHT = 104;
/** Most parts of a bar: the eight severities. */
const PARTS_MAX = 8;
/** Most parts told in words. */
const PARTS_TOLD_MAX = 4;
/** A shorter range is less than a few of the milliseconds that the axis can tell apart. */
const SPAN_SECONDS_MIN = 0.06;

/** The code that draws, once it is loaded. */
let Plot: typeof uPlot | null = null;

const AXIS_FONT = '11px system-ui, sans-serif';

export class Histogram {
  #onZoom!: (range: { from: string; to: string }) => void;
  #state: HistogramState | null = null;
  #plot: uPlot | null = null;
  #keys: KeySelection | null = null;
  #brush: number | null = null;
  #visible: { from: number; to: number } | null = null;
  /** Where the rows in view are marked now. */
  #drawn: { left: number; width: number } | null = null;

  readonly #root = element('div', 'histogram');
  readonly #chart = element('div', 'histogram-chart');
  readonly #tip = element('div', 'histogram-tip');
  readonly #table = document.createElement('table');
  readonly #abort = new AbortController();
  readonly #sizes = new ResizeObserver(() => this.#resize());

  mount(host: HTMLElement, onZoom: (range: { from: string; to: string }) => void): void {
    this.#onZoom = onZoom;
    const chart = this.#chart;
    chart.tabIndex = 0;
    chart.dataset['testid'] = 'histogram';
    chart.setAttribute('role', 'slider');
    chart.setAttribute('aria-label', 'Histogram: arrows move, Shift and arrows select, Enter zooms in');
    // A table is as wide as its text, however it is clipped; a block around it is not.
    const hidden = element('div', 'visually-hidden');
    hidden.append(this.#table);
    this.#tip.hidden = true;
    this.#root.append(chart, this.#tip, hidden);
    host.append(this.#root);
    const options = { signal: this.#abort.signal };
    chart.addEventListener('keydown', (event) => this.#onKey(event), options);
    chart.addEventListener('blur', () => this.#clear(), options);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', () => this.redraw(), options);
    this.#sizes.observe(this.#root);
  }

  update(state: HistogramState): void {
    const rezoned = state.zone !== this.#state?.zone;
    this.#state = state;
    this.#clear();
    this.#fillTable();
    this.#chart.classList.toggle('is-empty', state.answer.bars.length === 0);
    if (rezoned) this.#rebuild();
    else this.#plot?.setData(this.#data());
  }

  /** Marks the time that the rows in view span, if any. Draws only if that can be seen. */
  setVisible(range: { from: string; to: string } | null): void {
    this.#visible = range && { from: textMs(range.from) / 1000, to: textMs(range.to) / 1000 };
    const place = this.#visiblePlace();
    const isMoved = place?.left !== this.#drawn?.left || place?.width !== this.#drawn?.width;
    if (isMoved) this.#plot?.redraw(false);
  }

  /** Draws again, after the colours have changed. */
  redraw(): void {
    this.#plot?.redraw(false);
  }

  destroy(): void {
    this.#abort.abort();
    this.#sizes.disconnect();
    this.#plot?.destroy();
    this.#root.remove();
  }

  #data(): uPlot.AlignedData {
    const bars = this.#state?.answer.bars ?? [];
    const stack = stackOf(this.#state?.parts ?? [], PARTS_MAX, bars.length);
    return [bars.map((bar) => textMs(bar.start) / 1000), bars.map((bar) => bar.count), ...stack];
  }

  /** The ends of the time axis, in seconds; an instant stands in the middle of a minute. */
  #ends(): [number, number] {
    const { from, to } = this.#state?.answer ?? { from: null, to: null };
    const start = textMs(from ?? '') / 1000;
    const end = textMs(to ?? '') / 1000;
    return end - start < SPAN_SECONDS_MIN ? [start - 30, end + 30] : [start, end];
  }

  #resize(): void {
    const width = this.#root.clientWidth;
    if (!this.#plot) this.#rebuild();
    else if (width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  /** A colour of the style sheet as the canvas needs it: resolved for the theme in use. */
  #color(name: string): string {
    this.#chart.style.color = `var(${name})`;
    return getComputedStyle(this.#chart).color;
  }

  /** The colour of a series: the first is the whole, the others are the stack from its top. */
  #colorName(series: number): string {
    const parts = this.#state?.parts ?? [];
    if (series > 0) return parts[PARTS_MAX - series]?.color ?? '--series-rest';
    return parts.length > 0 ? '--series-rest' : '--bar';
  }

  /** Draws without what is there; the first time when the code for it has come. */
  #rebuild(): void {
    const width = this.#root.clientWidth;
    if (!this.#state || width === 0) return;
    if (!Plot) {
      void load().then(() => Plot && !this.#plot && this.#rebuild());
      return;
    }
    this.#plot?.destroy();
    this.#plot = new Plot(this.#options(width, this.#state.zone), this.#data(), this.#chart);
    const over = this.#plot.over;
    over.addEventListener('pointerdown', (event) => this.#onPress(event));
    over.addEventListener('pointermove', (event) => this.#onMove(event));
    over.addEventListener('pointerup', (event) => this.#onRelease(event));
    over.addEventListener('pointerleave', () => this.#brush ?? this.#clear());
    over.addEventListener('pointercancel', () => this.#clear());
  }

  #options(width: number, zone: Zone): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: () => this.#color('--ink-soft'),
      font: AXIS_FONT,
      ticks: { show: false },
    };
    const grid = { stroke: () => this.#color('--line-soft'), width: 1 };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      select: { show: true, left: 0, top: 0, width: 0, height: 0 },
      tzDate: (seconds) =>
        zone === 'utc'
          ? Plot!.tzDate(new Date(seconds * 1000), 'Etc/UTC')
          : new Date(seconds * 1000),
      scales: {
        x: { time: true, range: () => this.#ends() },
        y: { range: (_plot, _low, high) => [0, Math.max(high * 1.05, 1)] },
      },
      axes: [
        { ...axis, size: 18, gap: 4, space: axisSpace, grid: { show: false }, values: axisTimes(zone) },
        { ...axis, size: 52, gap: 6, space: 34, grid, values: axisCounts },
      ],
      series: [
        {},
        ...Array.from({ length: 1 + PARTS_MAX }, (_, series) => ({
          fill: () => this.#color(this.#colorName(series)),
          paths: (plot: uPlot) =>
            barPaths(plot, series + 1, textMs(this.#state?.answer.to ?? '') / 1000),
          points: { show: false },
        })),
      ],
      hooks: { drawAxes: [(plot) => this.#drawVisible(plot)] },
    };
  }

  /** Where the rows in view are, in whole pixels of the canvas. */
  #visiblePlace(): { left: number; width: number } | null {
    const plot = this.#plot;
    if (!plot || !this.#visible) return null;
    const start = plot.bbox.left;
    const at = (seconds: number) => {
      const pixels = Math.round(plot.valToPos(seconds, 'x', true));
      return Math.max(start, Math.min(pixels, start + plot.bbox.width));
    };
    const left = at(this.#visible.from);
    return { left, width: Math.max(at(this.#visible.to) - left, 3 * devicePixelRatio) };
  }

  #drawVisible(plot: uPlot): void {
    this.#drawn = this.#visiblePlace();
    if (!this.#drawn) return;
    const { left, width } = this.#drawn;
    const { top, height } = plot.bbox;
    plot.ctx.fillStyle = this.#color('--view');
    plot.ctx.fillRect(left, top, width, height);
    plot.ctx.fillStyle = this.#color('--accent');
    plot.ctx.fillRect(left, top + height, width, 2 * devicePixelRatio);
  }

  /** The index of the bar at a position in the plot. */
  #barAt(event: PointerEvent): number {
    const bars = this.#state?.answer.bars ?? [];
    if (!this.#plot) return 0;
    const x = event.clientX - this.#plot.over.getBoundingClientRect().left;
    const seconds = this.#plot.posToVal(x, 'x');
    const next = bars.findIndex((bar) => textMs(bar.start) / 1000 > seconds);
    return Math.max(0, (next < 0 ? bars.length : next) - 1);
  }

  #run(one: number, other: number): BarRun {
    return runOf(one, other, this.#state?.answer.bars.length ?? 0);
  }

  #onPress(event: PointerEvent): void {
    if (event.button !== 0 || !this.#state?.answer.bars.length) return;
    this.#plot?.over.setPointerCapture(event.pointerId);
    this.#brush = this.#barAt(event);
    this.#show(this.#run(this.#brush, this.#brush));
  }

  #onMove(event: PointerEvent): void {
    const bar = this.#barAt(event);
    this.#show(this.#run(this.#brush ?? bar, bar));
  }

  #onRelease(event: PointerEvent): void {
    if (this.#brush === null) return;
    const run = this.#run(this.#brush, this.#barAt(event));
    this.#clear();
    this.#zoom(run);
  }

  #onKey(event: KeyboardEvent): void {
    const bars = this.#state?.answer.bars.length ?? 0;
    if (bars === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && this.#keys) {
      this.#zoom(this.#run(this.#keys.anchor, this.#keys.focus));
    } else if (event.key === 'Escape' && this.#keys) {
      this.#clear();
      event.stopPropagation();
    } else {
      const moved = selectByKey(this.#keys, event.key, event.shiftKey, bars);
      if (!moved) return;
      this.#keys = moved;
      this.#show(this.#run(moved.anchor, moved.focus));
    }
    event.preventDefault();
  }

  #zoom(run: BarRun): void {
    if (this.#state) this.#onZoom(rangeOf(this.#state.answer, run));
  }

  #clear(): void {
    this.#brush = null;
    this.#keys = null;
    this.#tip.hidden = true;
    this.#plot?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#tellValue(null);
  }

  /** Selects a run of bars on the screen and says what it is. */
  #show(run: BarRun): void {
    const plot = this.#plot;
    const state = this.#state;
    if (!plot || !state || state.answer.bars.length === 0) return;
    const { from, to } = rangeOf(state.answer, run);
    const left = plot.valToPos(textMs(from) / 1000, 'x');
    const width = plot.valToPos(textMs(to) / 1000, 'x') - left;
    plot.setSelect({ left, width, top: 0, height: plot.over.clientHeight }, false);
    const words = this.#words(run);
    this.#tip.textContent = words;
    this.#tip.hidden = false;
    const room = this.#root.clientWidth - this.#tip.offsetWidth - 4;
    const middle = plot.over.offsetLeft + left + width / 2 - this.#tip.offsetWidth / 2;
    this.#tip.style.transform = `translateX(${Math.max(4, Math.min(middle, room))}px)`;
    this.#tellValue(run);
  }

  #words(run: BarRun): string {
    if (!this.#state) return '';
    const { answer, zone } = this.#state;
    const { from, to } = rangeOf(answer, run);
    const told = partsOf(this.#state.parts, run).slice(0, PARTS_TOLD_MAX);
    const parts = told.map(({ value, count }) => `, ${visible(value.slice(0, 40))} ${countText(count)}`);
    const time = spanText(textMs(from), textMs(to), zone);
    return `${plural(countOf(answer, run), 'record')}, ${time}${parts.join('')}`;
  }

  #tellValue(run: BarRun | null): void {
    const bars = this.#state?.answer.bars.length ?? 0;
    this.#chart.setAttribute('aria-valuemin', '1');
    this.#chart.setAttribute('aria-valuemax', String(Math.max(bars, 1)));
    this.#chart.setAttribute('aria-valuenow', String((this.#keys?.focus ?? 0) + 1));
    this.#chart.setAttribute('aria-valuetext', run ? this.#words(run) : `${bars} bars`);
  }

  #fillTable(): void {
    if (!this.#state) return;
    const caption = document.createElement('caption');
    caption.textContent = 'Records by time of receipt';
    const rows = this.#state.answer.bars.map((bar, index) => {
      const row = document.createElement('tr');
      const run = { first: index, last: index };
      const { from, to } = rangeOf(this.#state!.answer, run);
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = spanText(textMs(from), textMs(to), this.#state!.zone);
      const value = document.createElement('td');
      value.textContent = String(bar.count);
      row.append(head, value);
      return row;
    });
    this.#table.replaceChildren(caption, ...rows);
  }
}

async function load(): Promise<void> {
  // Without it the bars are still there as a table, and the next answer tries again.
  Plot ??= await import('uplot').then((loaded) => loaded.default, () => null);
}
