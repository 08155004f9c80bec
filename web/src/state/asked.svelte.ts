// A question to the server and what has become of it. A new question abandons the one before; until
// it is answered, the old answer stays.

import { asProblem, isAbort, type Problem } from '../api/problem';

export class Asked<T> {
  answer = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  waiting = $state(false);

  #abort = new AbortController();

  /** Asks; returns what abandons the question, as an effect wants it. */
  ask(question: (signal: AbortSignal) => Promise<T>): () => void {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.waiting = true;
    this.problem = null;
    void this.#follow(question(abort.signal), abort.signal);
    return () => abort.abort();
  }

  /** Abandons the question and forgets the answer. */
  clear(): void {
    this.#abort.abort();
    this.answer = null;
    this.problem = null;
    this.waiting = false;
  }

  async #follow(answer: Promise<T>, signal: AbortSignal): Promise<void> {
    try {
      const given = await answer;
      if (!signal.aborted) this.answer = given;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.problem = asProblem(error);
    }
    if (!signal.aborted) this.waiting = false;
  }
}
