// The search that the page shows: its view, its rows, its histogram, and what went wrong.
//
// One search runs at a time; starting another one, or stopping, abandons it, and what it has found
// stays. The URL is the view, always.

import * as api from '../api/client';
import { asProblem, isAbort, type Problem } from '../api/problem';
import type { HistogramAnswer, Row, SearchEnd } from '../api/types';
import { moveWindow, type TimeRange, type WindowMove } from '../text/range';
import { Feed } from './feed';
import { formatView, parseView, scopeOf, type View } from './view';

const BARS = 60;

/** How a view gets into the browser's history. */
type Entry = 'push' | 'replace' | 'keep';

export class Search {
  view = $state.raw<View>(parseView(location.search));
  /** The text in the query box, which may not have run yet. */
  draft = $state(this.view.q);
  rows = $state.raw<readonly Row[]>([]);
  histogram = $state.raw<HistogramAnswer | null>(null);
  /** The end line of the first page of rows. */
  end = $state.raw<SearchEnd | null>(null);
  problem = $state.raw<Problem | null>(null);
  running = $state(false);
  stopped = $state(false);
  loadingMore = $state(false);
  hasOlder = $state(false);
  /** The record of `at`, where it is not among the rows. */
  pinned = $state.raw<Row | null>(null);
  /** The record of `at`, where it is among the rows: its details are to be opened. */
  revealed = $state.raw<string | null>(null);

  readonly feed = new Feed(api.search);
  #running = new AbortController();

  /** Runs the text of the query box, with changes of the view if there are any. */
  run(changes: Partial<View> = {}): Promise<void> {
    const view = { ...this.view, q: this.draft.trim(), at: '', ...changes };
    const isSame = formatView(view) === formatView(this.view);
    return this.#start(view, isSame ? 'replace' : 'push');
  }

  /** Runs what the URL says: when the page opens, and on back and forward. */
  open(): Promise<void> {
    const view = parseView(location.search);
    this.draft = view.q;
    return this.#start(view, 'keep');
  }

  /** Changes only how the rows are shown; nothing is searched again. */
  show(changes: Pick<Partial<View>, 'tz' | 'cols' | 'at'>): void {
    this.view = { ...this.view, ...changes };
    this.#enter('replace');
  }

  zoom(range: TimeRange): Promise<void> {
    return this.run(range);
  }

  /** Moves the time window that the histogram shows. */
  async move(move: WindowMove): Promise<void> {
    const { from, to } = this.histogram ?? { from: null, to: null };
    const moved = from && to ? moveWindow({ from, to }, move) : null;
    if (moved) await this.run(moved);
  }

  /** Abandons what runs; says whether anything did. */
  stop(): boolean {
    if (!this.running) return false;
    this.#running.abort();
    this.running = false;
    this.stopped = true;
    return true;
  }

  /** Loads rows beyond an end of the list, if there are any. */
  async more(edge: 'newer' | 'older'): Promise<void> {
    const has = edge === 'newer' ? this.feed.hasNewer : this.feed.hasOlder;
    if (!has || this.running || this.loadingMore || this.problem) return;
    this.loadingMore = true;
    const { signal } = this.#running;
    try {
      await this.feed[edge](signal);
      if (!signal.aborted) this.#takeRows();
    } catch (error) {
      this.#fail(error, signal);
    } finally {
      this.loadingMore = false;
    }
  }

  /** Takes records that the live tail brought, oldest first. */
  arrive(rows: readonly Row[]): void {
    this.feed.arrive(rows);
    this.#takeRows();
  }

  /** Asks for the histogram again, while records arrive. */
  async refreshHistogram(): Promise<void> {
    const { signal } = this.#running;
    try {
      await this.#loadHistogram(signal);
    } catch {
      // The old one stays; the tail itself says when the server is gone.
    }
  }

  #enter(entry: Entry): void {
    const url = `${location.pathname}${formatView(this.view)}`;
    if (entry === 'push') history.pushState(null, '', url);
    if (entry === 'replace') history.replaceState(null, '', url);
  }

  async #start(view: View, entry: Entry): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.view = view;
    this.draft = view.q;
    this.#enter(entry);
    this.problem = null;
    this.end = null;
    this.stopped = false;
    this.pinned = null;
    this.revealed = null;
    this.running = true;
    this.feed.clear();
    this.#takeRows();
    try {
      await Promise.all([this.#loadHistogram(signal), this.#loadRows(view, signal)]);
    } catch (error) {
      // The old histogram is not of this search.
      if (!signal.aborted) this.histogram = null;
      this.#fail(error, signal);
    }
    if (signal.aborted) return;
    this.running = false;
    // A record that a link leads to stands among those around it.
    if (this.feed.hasNewer) await this.more('newer');
  }

  async #loadHistogram(signal: AbortSignal): Promise<void> {
    const answer = await api.histogram({ ...scopeOf(this.view), bars: BARS }, signal);
    if (!signal.aborted) this.histogram = answer;
  }

  async #loadRows(view: View, signal: AbortSignal): Promise<void> {
    const anchor = view.at === '' ? null : await api.record(view.at, signal);
    const end = await this.feed.start(scopeOf(view), anchor, signal, () => {
      if (!signal.aborted) this.#takeRows();
    });
    if (signal.aborted) return;
    this.end = end;
    this.#takeRows();
    if (!anchor) return;
    if (this.rows.some((row) => row.id === anchor.id)) this.revealed = anchor.id;
    else this.pinned = anchor;
  }

  #takeRows(): void {
    this.rows = this.feed.rows;
    this.hasOlder = this.feed.hasOlder;
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (isAbort(error) || signal.aborted) return;
    this.problem = asProblem(error);
    this.#running.abort();
    this.running = false;
  }
}
