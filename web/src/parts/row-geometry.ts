// Where the rows of a list are, when some are taller than the others: wrapped, or with details
// unfolded below.
//
// Where all rows are equal a position is a multiplication. Else the upper edges of at most 10,000
// rows are summed up once, and found again by halving.

export class RowGeometry {
  readonly #rowHeight: number;
  readonly #count: number;
  /** The upper edge of every row and the lower edge of the last; null where all rows are equal. */
  readonly #tops: Float64Array | null;

  /** `extras` maps the index of a row to what it is taller than the others, in pixels. */
  constructor(rowHeight: number, count: number, extras: ReadonlyMap<number, number> = new Map()) {
    this.#rowHeight = rowHeight;
    this.#count = count;
    this.#tops = extras.size === 0 ? null : new Float64Array(count + 1);
    for (let index = 0; this.#tops && index < count; index += 1) {
      const height = rowHeight + (extras.get(index) ?? 0);
      this.#tops[index + 1] = (this.#tops[index] ?? 0) + height;
    }
  }

  /** The height of all rows with all details. */
  get height(): number {
    return this.top(this.#count);
  }

  /** The upper edge of a row. */
  top(index: number): number {
    return this.#tops ? (this.#tops[index] ?? 0) : index * this.#rowHeight;
  }

  /** The index of the row, with its details, at a position; the nearest one outside. */
  indexAt(y: number): number {
    if (!this.#tops) return this.#clamp(Math.floor(y / this.#rowHeight));
    let low = 0;
    let high = this.#count;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((this.#tops[middle] ?? 0) <= y) low = middle;
      else high = middle;
    }
    return this.#clamp(low);
  }

  #clamp(index: number): number {
    return Math.max(0, Math.min(index, this.#count - 1));
  }
}
