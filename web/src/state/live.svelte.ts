// The live tail: records flow into the list while nobody reads, and wait while somebody does.
//
// However fast they come, they are taken into the list once in a frame, and what waits is bounded:
// what is older than the newest 10,000 would not stay in the list anyway.

import type { Problem } from '../api/problem';
import { TailStream, type TailState } from '../api/tail';
import type { Params } from '../api/client';
import type { Row } from '../api/types';
import { plural } from '../text/figures';
import { isError } from '../text/severity';
import { ROWS_MAX } from './feed';
import { slim } from './slim';

export interface LiveTarget {
  /** Takes records, oldest first. `gap`: records before these are missing. */
  arrive(rows: readonly Row[], gap: boolean): void;
  refreshHistogram(): void;
  fail(problem: Problem): void;
}

/** How often the histogram follows, and how often a screen reader is told. */
const SUMMARY_MS = 5_000;

export class Live {
  state = $state<'off' | TailState>('off');
  /** Records that came while somebody reads. */
  waiting = $state(0);
  /** Records that the server left out because the page was too slow. */
  dropped = $state(0);
  /** Whether somebody has stopped the rows without leaving the tail. */
  paused = $state(false);
  /** What a screen reader is told, now and then. */
  summary = $state('');

  readonly #target: LiveTarget;
  #stream: TailStream | null = null;
  #reading = false;
  #pending: Row[] = [];
  /** Records older than those that wait, which came as well and are not kept. */
  #older = 0;
  /** Whether the list starts anew with what waits: what is missing before it is loaded by scrolling. */
  #gap = false;
  #frame = 0;
  #timer = 0;
  #arrived = 0;
  #errors = 0;

  constructor(target: LiveTarget) {
    this.#target = target;
  }

  get on(): boolean {
    return this.state !== 'off';
  }

  /** Starts to follow; `after` is the newest id in the list, or null for new records only. */
  start(params: Params, after: string | null): void {
    this.stop();
    this.state = 'connecting';
    this.dropped = 0;
    this.#stream = new TailStream(params, after, {
      onRows: (rows) => this.#take(rows),
      onDropped: (count) => {
        this.dropped += count;
        this.#keep(0);
      },
      onState: (state) => (this.state = state),
      onProblem: (problem) => {
        this.stop();
        this.#target.fail(problem);
      },
    });
    this.#timer = setInterval(() => this.#summarize(), SUMMARY_MS) as unknown as number;
  }

  stop(): void {
    this.#stream?.stop();
    this.#stream = null;
    clearInterval(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#empty();
    this.state = 'off';
    this.paused = false;
    this.summary = '';
  }

  /** Keeps rows back although nobody reads, or lets them come again. */
  togglePaused(): void {
    if (!this.on) return;
    this.paused = !this.paused;
    this.#schedule();
  }

  /** Somebody reads, so nothing may move; or no longer does. */
  setReading(reading: boolean): void {
    this.#reading = reading;
    if (!reading) this.#schedule();
  }

  #take(rows: readonly Row[]): void {
    this.#arrived += rows.length;
    this.#errors += rows.filter((row) => isError(row.severity)).length;
    for (const row of rows) this.#pending.push(slim(row));
    if (this.#pending.length > 2 * ROWS_MAX) {
      this.#keep(ROWS_MAX);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#pending.length > 0) this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#frame = 0;
    if (this.#reading || this.paused) {
      this.waiting = this.#older + this.#pending.length;
      return;
    }
    const rows = this.#pending;
    const gap = this.#gap;
    this.#empty();
    this.#target.arrive(rows, gap);
  }

  /** Keeps the newest of those that wait; what is before them is no longer without a gap. */
  #keep(count: number): void {
    const from = Math.max(this.#pending.length - count, 0);
    this.#older += from;
    this.#pending = this.#pending.slice(from);
    this.#gap = true;
  }

  #empty(): void {
    this.#pending = [];
    this.#gap = false;
    this.#older = 0;
    this.waiting = 0;
  }

  #summarize(): void {
    if (this.#arrived === 0) return;
    this.summary = `${plural(this.#arrived, 'new record')}, ${plural(this.#errors, 'error')}`;
    this.#arrived = 0;
    this.#errors = 0;
    this.#target.refreshHistogram();
  }
}
