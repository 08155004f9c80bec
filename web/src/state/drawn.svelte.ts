// Whether the first rows of the page can be seen.
//
// Until then, everything that is no row has to wait for them: the editor of the query box, the plot
// of the histogram, the fields, the status of the server. Together they are more work than the rows.

/** Rows that take longer are not waited for. */
const WAIT_MS_MAX = 300;

export class Drawn {
  /** The first rows have been painted, or are not waited for any longer. */
  done = $state(false);
  #isTold = false;

  constructor() {
    setTimeout(() => (this.done = true), WAIT_MS_MAX);
  }

  /** The rows are there, and the next frame paints them. */
  tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    requestAnimationFrame(() => setTimeout(() => (this.done = true)));
  }
}
