// Where the rows of a list are, when a few of them have details unfolded below.
//
// Every row has the same height, so a position is a multiplication plus the heights of the unfolded
// details above it. Few rows are unfolded at once; walking over them is cheap.

interface Extra {
  index: number;
  height: number;
}

export class RowGeometry {
  readonly #rowHeight: number;
  readonly #count: number;
  readonly #extras: readonly Extra[];

  /** `extras` maps the index of an unfolded row to the height of its details, in pixels. */
  constructor(rowHeight: number, count: number, extras: ReadonlyMap<number, number> = new Map()) {
    this.#rowHeight = rowHeight;
    this.#count = count;
    this.#extras = [...extras]
      .map(([index, height]) => ({ index, height }))
      .sort((a, b) => a.index - b.index);
  }

  /** The height of all rows with all details. */
  get height(): number {
    return this.top(this.#count);
  }

  /** The upper edge of a row. */
  top(index: number): number {
    let top = index * this.#rowHeight;
    for (const extra of this.#extras) {
      if (extra.index >= index) break;
      top += extra.height;
    }
    return top;
  }

  /** The index of the row, with its details, at a position; the nearest one outside. */
  indexAt(y: number): number {
    let above = 0;
    for (const extra of this.#extras) {
      const end = (extra.index + 1) * this.#rowHeight + above + extra.height;
      if (y < end) {
        const index = Math.floor((y - above) / this.#rowHeight);
        return this.#clamp(Math.min(index, extra.index));
      }
      above += extra.height;
    }
    return this.#clamp(Math.floor((y - above) / this.#rowHeight));
  }

  #clamp(index: number): number {
    return Math.max(0, Math.min(index, this.#count - 1));
  }
}
