// The search that the page shows: its view, its rows, its histogram, and what went wrong.
//
// One search runs at a time; starting another one, or stopping, abandons it, and what it has found
// stays. The URL is the view, always.

import * as api from '../api/client';
import { asProblem, isAbort, type Problem } from '../api/problem';
import type { HistogramAnswer, QueryAnswer, Row, SearchEnd } from '../api/types';
import { moveWindow, type WindowMove } from '../text/range';
import { contextScope } from './context';
import { Feed } from './feed';
import { formatView, parseView, pipeOf, questionOf, scopeOf, type Around, type View } from './view';

const BARS = 60;

/** How many rows of a table are shown: a page of them, or more on demand. */
export const TABLE_ROWS = [100, 1_000, 10_000] as const;

/** How a view gets into the browser's history. */
type Entry = 'push' | 'replace' | 'keep';

/** What of a view says only how the rows are shown. */
type Shown = Pick<Partial<View>, 'tz' | 'cols' | 'at' | 'split'>;

/** A table, and the pipe that made it: another one may have been asked for since. */
export interface Table extends QueryAnswer {
  pipe: string;
}

/** A search as it was. */
interface Before {
  view: View;
  feed: Feed;
  end: SearchEnd | null;
}

export class Search {
  view = $state.raw<View>(parseView(location.search));
  /** The text in the query box, which may not have run yet. */
  draft = $state(this.view.q);
  /** What the server takes that text for; empty where it is wrong or nothing. */
  meaning = $state('');
  rows = $state.raw<readonly Row[]>([]);
  histogram = $state.raw<HistogramAnswer | null>(null);
  /** The pipe whose table is shown in place of rows; empty for none. */
  pipe = $derived(pipeOf(this.view));
  /** That table, or the one before it until it is there. */
  table = $state.raw<Table | null>(null);
  /** The end line of the first page of rows. */
  end = $state.raw<SearchEnd | null>(null);
  problem = $state.raw<Problem | null>(null);
  running = $state(false);
  stopped = $state(false);
  loadingMore = $state(false);
  hasOlder = $state(false);
  /** The record of `at`, where it is not among the rows. */
  pinned = $state.raw<Row | null>(null);
  /** The record of `at`, where it is among the rows: to be brought into view. */
  revealed = $state.raw<string | null>(null);
  /** The record whose surroundings are shown in place of what matches. */
  around = $state.raw<Row | null>(null);

  feed = new Feed(api.search);
  #running = new AbortController();
  /** What was shown before the surroundings were. */
  #before: Before | null = null;

  /** Runs the text of the query box, with changes of the view if there are any. */
  run(changes: Partial<View> = {}): Promise<void> {
    const view = { ...this.view, q: this.draft.trim(), at: '', around: '' as const, ...changes };
    const isSame = formatView(view) === formatView(this.view);
    return this.#start(view, isSame ? 'replace' : 'push');
  }

  /** Runs what the URL says: when the page opens, and on back and forward. */
  open(): Promise<void> {
    const view = parseView(location.search);
    const before = this.#before;
    if (before && formatView(before.view) === formatView(view)) {
      this.#restore(before);
      return Promise.resolve();
    }
    this.draft = view.q;
    return this.#start(view, 'keep');
  }

  /** Changes only how the rows are shown; nothing is searched again. */
  show(changes: Shown, entry: Entry = 'replace'): void {
    this.view = { ...this.view, ...changes };
    this.#enter(entry);
  }

  /** Shows what came before and after a record, in place of what matches. */
  async look(row: Row, around: Around): Promise<void> {
    const isFirst = this.around === null;
    if (isFirst) this.#before = { view: this.view, feed: this.feed, end: this.end };
    this.view = { ...this.view, at: row.id, around };
    this.#enter(isFirst ? 'push' : 'replace');
    const signal = this.#begin();
    this.feed = new Feed(api.search);
    this.#takeRows();
    await this.#loadAround(row, around, signal).catch((error: unknown) => this.#fail(error, signal));
    await this.#finish(signal);
  }

  /** Goes back from the surroundings of a record to the search. */
  async leave(): Promise<void> {
    if (this.#before) history.back();
    else await this.#start({ ...this.view, around: '' }, 'push');
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

  /** Shows more rows of the table. */
  async widen(limit: number): Promise<void> {
    const signal = this.#begin();
    await this.#loadTable(limit, signal).catch((error: unknown) => this.#fail(error, signal));
    await this.#finish(signal);
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
      await this.#loadHistogram(signal, false);
    } catch {
      // The old one stays; the tail itself says when the server is gone.
    }
  }

  #enter(entry: Entry): void {
    const url = `${location.pathname}${formatView(this.view)}`;
    if (entry === 'push') history.pushState(null, '', url);
    if (entry === 'replace') history.replaceState(null, '', url);
  }

  /** Abandons what runs and clears what it told, for something that starts now. */
  #begin(): AbortSignal {
    this.#running.abort();
    this.#running = new AbortController();
    this.problem = null;
    this.end = null;
    this.stopped = false;
    this.pinned = null;
    this.revealed = null;
    this.running = true;
    return this.#running.signal;
  }

  async #start(view: View, entry: Entry): Promise<void> {
    const signal = this.#begin();
    this.#before = null;
    this.around = null;
    this.view = view;
    this.draft = view.q;
    this.#enter(entry);
    this.feed.clear();
    this.#takeRows();
    if (this.pipe === '') this.table = null;
    const answer = this.pipe === '' ? this.#loadRows(view, signal) : this.#loadTable(TABLE_ROWS[0], signal);
    try {
      await Promise.all([this.#loadHistogram(signal, true), answer]);
    } catch (error) {
      // The old histogram is not of this search.
      if (!signal.aborted) this.histogram = null;
      this.#fail(error, signal);
    }
    await this.#finish(signal);
  }

  async #finish(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.running = false;
    // A record that a link leads to stands among those around it.
    if (this.feed.hasNewer) await this.more('newer');
    if (this.around && !signal.aborted) this.revealed = this.around.id;
  }

  #restore(before: Before): void {
    this.#begin();
    this.running = false;
    this.#before = null;
    this.around = null;
    this.view = before.view;
    this.end = before.end;
    this.feed = before.feed;
    this.#takeRows();
  }

  /** `grows`: what is counted shows at once; else the old histogram stays until the new one is there. */
  async #loadHistogram(signal: AbortSignal, grows: boolean): Promise<void> {
    const take = (answer: HistogramAnswer) => {
      if (!signal.aborted) this.histogram = answer;
    };
    const answer = await api.histogram({ ...scopeOf(this.view), bars: BARS }, signal, grows ? take : undefined);
    take(answer);
  }

  async #loadTable(limit: number, signal: AbortSignal): Promise<void> {
    const { pipe } = this;
    const answer = await api.query({ ...questionOf(this.view), limit }, signal);
    if (!signal.aborted) this.table = { ...answer, pipe };
  }

  async #loadRows(view: View, signal: AbortSignal): Promise<void> {
    const anchor = view.at === '' ? null : await api.record(view.at, signal);
    if (anchor && view.around !== '') {
      await this.#loadAround(anchor, view.around, signal);
      return;
    }
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

  async #loadAround(row: Row, around: Around, signal: AbortSignal): Promise<void> {
    this.around = row;
    const end = await this.feed.start(contextScope(row, around, this.view), row, signal, () => {
      if (!signal.aborted) this.#takeRows();
    });
    if (signal.aborted) return;
    this.end = end;
    this.#takeRows();
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
