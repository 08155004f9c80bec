// Counters that grow, as rates: the last ones of each, as long as the page is open.

/** Ten minutes, asked every five seconds. */
const SAMPLES_MAX = 120;

interface Counter {
  value: number;
  atMs: number;
  rates: number[];
}

export class Rates {
  readonly #counters = new Map<string, Counter>();

  /** Takes what a counter says now; one that has gone back has started anew. */
  take(name: string, value: number, atMs: number): void {
    const last = this.#counters.get(name);
    if (!last || value < last.value || atMs <= last.atMs) {
      this.#counters.set(name, { value, atMs, rates: last?.rates ?? [] });
      return;
    }
    const rate = (value - last.value) / ((atMs - last.atMs) / 1000);
    const rates = [...last.rates, rate].slice(-SAMPLES_MAX);
    this.#counters.set(name, { value, atMs, rates });
  }

  /** The rates in a second, the latest last. */
  of(name: string): readonly number[] {
    return this.#counters.get(name)?.rates ?? [];
  }

  /** The latest rate; null until a counter was read twice. */
  now(name: string): number | null {
    return this.of(name).at(-1) ?? null;
  }
}
