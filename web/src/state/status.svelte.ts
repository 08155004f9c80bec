// How the server does: asked every few seconds while the page is in view.

import * as api from '../api/client';
import type { Status } from '../api/types';

const POLL_MS = 5_000;

/** The second answer comes sooner: a rate needs two. */
const POLL_MS_SECOND = 1_000;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export class ServerStatus {
  answer = $state.raw<Status | null>(null);
  /** Whether the last question was answered. */
  reachable = $state(true);
  /** Records received in a second; null until two answers are there. */
  rate = $state<number | null>(null);

  readonly #onAnswer: (answer: Status) => void;
  #last: { received: number; at: number } | null = null;
  #timer = 0;
  #abort = new AbortController();

  /** `onAnswer` is told of every answer. */
  constructor(onAnswer: (answer: Status) => void = () => undefined) {
    this.#onAnswer = onAnswer;
  }

  get records(): number {
    return sum(this.answer?.logspaces.map((logspace) => logspace.records) ?? []);
  }

  /** Whether there is a store and nothing in it. */
  get isEmpty(): boolean {
    return this.answer !== null && this.records === 0;
  }

  get dropped(): number {
    const sources = this.answer?.sources ?? [];
    return sum(sources.flatMap((source) => Object.values(source.dropped)));
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#poll();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  /** Asks at once, where somebody looks. */
  refresh(): void {
    clearTimeout(this.#timer);
    if (!document.hidden) void this.#poll();
  }

  readonly #onVisibility = () => this.refresh();

  async #poll(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const answer = await api.status(signal);
      if (signal.aborted) return;
      this.#measure(answer);
      this.#onAnswer(answer);
      this.answer = answer;
      this.reachable = true;
    } catch {
      if (signal.aborted) return;
      this.reachable = false;
      this.rate = null;
      this.#last = null;
    }
    if (document.hidden) return;
    const delay = this.rate === null && this.reachable ? POLL_MS_SECOND : POLL_MS;
    this.#timer = setTimeout(() => void this.#poll(), delay) as unknown as number;
  }

  #measure(answer: Status): void {
    const received = sum(answer.sources.map((source) => source.received));
    const at = performance.now();
    const last = this.#last;
    // A server that has restarted counts from nought again.
    const isLater = last !== null && received >= last.received;
    this.rate = isLater ? (received - last.received) / ((at - last.at) / 1000) : null;
    this.#last = { received, at };
  }
}
