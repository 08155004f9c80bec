// Follows new records: one endless request, made again from the last id whenever it breaks.

import { call, type Params } from './client';
import { readNdjson } from './ndjson';
import { asProblem, isAbort, Problem } from './problem';
import type { Row, TailLine } from './types';

export type TailState = 'connecting' | 'live' | 'reconnecting';

export interface TailEvents {
  onRows(rows: Row[]): void;
  /** The server left out this many records here, because the page read too slowly. */
  onDropped(count: number): void;
  onState(state: TailState): void;
  /** The tail cannot go on: the request itself is wrong. */
  onProblem(problem: Problem): void;
}

/** Silence after which a connection counts as lost: three heartbeats of 5 s. */
const SILENCE_MS_MAX = 15_000;

const RETRY_MS_FIRST = 500;
const RETRY_MS_MAX = 8_000;

/** Longest time spent on lines before the page may draw again. */
const BUSY_MS_MAX = 8;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

export class TailStream {
  readonly #params: Params;
  readonly #events: TailEvents;
  readonly #stop = new AbortController();
  #after: string | null;

  /** Starts at once; `after` is the newest id already shown, or null for new records only. */
  constructor(params: Params, after: string | null, events: TailEvents) {
    this.#params = params;
    this.#after = after;
    this.#events = events;
    void this.#run();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let retryMs = RETRY_MS_FIRST;
    this.#events.onState('connecting');
    while (!signal.aborted) {
      try {
        await this.#follow(() => (retryMs = RETRY_MS_FIRST));
      } catch (error) {
        const problem = asProblem(error);
        const isOurs = problem.status >= 400 && problem.status < 500 && problem.status !== 429;
        if (isOurs && !signal.aborted) {
          this.#events.onProblem(problem);
          return;
        }
      }
      if (signal.aborted) return;
      this.#events.onState('reconnecting');
      await pause(retryMs, signal);
      retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    }
  }

  /** One connection, until it ends, breaks or falls silent. */
  async #follow(onLive: () => void): Promise<void> {
    const connection = new AbortController();
    const abort = () => connection.abort();
    this.#stop.signal.addEventListener('abort', abort);
    let silence = setTimeout(abort, SILENCE_MS_MAX);
    try {
      const params = { ...this.#params, after: this.#after };
      const response = await call('tail', params, connection.signal);
      if (!response.body) return;
      onLive();
      this.#events.onState('live');
      let busySince = performance.now();
      for await (const lines of readNdjson<TailLine>(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(abort, SILENCE_MS_MAX);
        this.#take(lines);
        if (performance.now() - busySince > BUSY_MS_MAX) {
          await pause(0, connection.signal);
          busySince = performance.now();
        }
      }
    } catch (error) {
      if (!isAbort(error)) throw error;
    } finally {
      clearTimeout(silence);
      this.#stop.signal.removeEventListener('abort', abort);
    }
  }

  #take(lines: TailLine[]): void {
    let rows: Row[] = [];
    const tell = () => {
      const last = rows.at(-1);
      if (!last) return;
      this.#after = last.id;
      this.#events.onRows(rows);
      rows = [];
    };
    for (const line of lines) {
      if ('row' in line) rows.push(line.row);
      if ('dropped' in line) {
        tell();
        this.#events.onDropped(line.dropped.count);
      }
    }
    tell();
  }
}
