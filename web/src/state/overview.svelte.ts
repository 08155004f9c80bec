// What the overview shows: the status as it changes, and what the stored records say of the past.

import * as api from '../api/client';
import type { HistogramAnswer, LogspaceStatus, Status } from '../api/types';
import { bytesInTheEnd, bytesPerDay, daysLeft, type Kept } from '../text/forecast';
import { Asked } from './asked.svelte';
import { Choices } from './choices.svelte';
import { Rates } from './rates';
import { silentHosts, type Silence } from './silence';
import { ServerStatus } from './status.svelte';

const BARS = 96;
const DAY_SECONDS = 86_400;

/** Most logspaces whose pace is told. */
const LOGSPACES_MAX = 1_000;

/** How often the past is asked for again. */
const PAST_MS = 60_000;

export const SPANS = ['1h', '24h', '7d', '30d'] as const;
export type Span = (typeof SPANS)[number];

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export class Overview {
  readonly choices = new Choices();
  readonly status = new ServerStatus((answer) => this.#take(answer));
  readonly arrivals = new Asked<HistogramAnswer>();
  readonly silence = new Asked<Silence>();
  span = $state<Span>('24h');
  /** Rates of sources; grows by a sample with each answer of the status. */
  rates = $state.raw({ book: new Rates() });

  /** Records of the last day by logspace, whatever is shown. */
  readonly #day = new Asked<ReadonlyMap<string, number>>();
  #timer = 0;

  start(): void {
    this.status.start();
    this.askPast();
    this.#timer = setInterval(() => this.askPast(), PAST_MS) as unknown as number;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.status.stop();
  }

  askPast(): void {
    if (document.hidden) return;
    this.askArrivals();
    this.silence.ask(silentHosts);
    this.#day.ask(async (signal) => {
      const { values } = await api.stats({ by: 'logspace', from: 'now-24h', limit: LOGSPACES_MAX }, signal);
      return new Map(values.map(({ value, count }) => [value, count]));
    });
  }

  askArrivals(): void {
    const from = `now-${this.span}`;
    this.arrivals.ask((signal) => api.histogram({ from, to: 'now', bars: BARS }, signal));
  }

  /** What a day adds to the disk, and when that is full; null where it cannot be said. */
  get forecast(): { perDay: number; days: number | null } | null {
    const status = this.status.answer;
    const day = this.#day.answer;
    if (!status || day === null) return null;
    const recent = sum([...day.values()]);
    const bytes = sum(status.logspaces.map((logspace) => logspace.bytes));
    const records = sum(status.logspaces.map((logspace) => logspace.sealed?.records ?? 0));
    const pace = { bytes, records, recent, seconds: DAY_SECONDS };
    const perDay = bytesPerDay(pace);
    if (perDay === null) return null;
    const { free_bytes: freeBytes } = status.storage;
    return { perDay, days: freeBytes === null ? null : daysLeft({ ...pace, freeBytes }) };
  }

  /** What a logspace keeps, and the pace at which it grows; null while that is not known. */
  kept({ name, bytes, sealed, keep_seconds, keep_bytes }: LogspaceStatus): Kept | null {
    const day = this.#day.answer;
    if (day === null) return null;
    const pace = { bytes, records: sealed?.records ?? 0, recent: day.get(name) ?? 0, seconds: DAY_SECONDS };
    const perDay = bytesPerDay(pace) ?? 0;
    return { bytes, perDay, keepSeconds: keep_seconds ?? null, keepBytes: keep_bytes ?? null };
  }

  /** Bytes on disk in the end, by what is kept; null where some logspace grows for ever. */
  get end(): { bytes: number; fits: boolean } | null {
    const { logspaces, storage } = this.status.answer ?? { logspaces: [], storage: null };
    const kept = logspaces.map((logspace) => this.kept(logspace));
    const ends = kept.map((each) => (each ? bytesInTheEnd(each) : null));
    if (!storage || ends.length === 0 || ends.includes(null)) return null;
    const bytes = sum(ends.map((end) => end ?? 0));
    const room = (storage.free_bytes ?? Infinity) + sum(logspaces.map((logspace) => logspace.bytes));
    return { bytes, fits: bytes < room };
  }

  #take(answer: Status): void {
    const { book } = this.rates;
    const now = performance.now();
    for (const source of answer.sources) {
      book.take(`${source.name} records`, source.received, now);
      book.take(`${source.name} bytes`, source.bytes, now);
    }
    book.take('records', sum(answer.sources.map((source) => source.received)), now);
    book.take('bytes', sum(answer.sources.map((source) => source.bytes)), now);
    this.rates = { book };
  }
}
