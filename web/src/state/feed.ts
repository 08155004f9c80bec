// The rows that the page holds: a window of at most 10,000 on everything that matches.
//
// Rows are newest first. Growing at one end drops rows at the other; what was dropped, or was never
// loaded, is fetched again from the row at that edge. Nothing is counted in offsets: an edge is a
// record id and its time, so records that arrive meanwhile cannot shift a page.

import type { Params } from '../api/client';
import type { Row, SearchEnd } from '../api/types';
import { shiftStamp, stampOf } from '../text/stamp';
import { slim } from './slim';

/** Most rows kept: 10,000 rows of 4 KiB are 40 MB. */
export const ROWS_MAX = 10_000;

/** Rows asked for at once. */
export const PAGE_ROWS = 200;

/** Fetches a page; the same as `search` of the API client. */
export type FetchPage = (
  params: Params,
  signal: AbortSignal,
  onRows: (rows: Row[]) => void,
) => Promise<SearchEnd>;

/** One end of the window: whether there is more, and the cursor that goes on there, if known. */
interface Edge {
  more: boolean;
  cursor: string | null;
}

export class Feed {
  /** Newest first. A new array after every change. */
  rows: readonly Row[] = [];

  readonly #fetch: FetchPage;
  #scope: Params = {};
  #newer: Edge = { more: false, cursor: null };
  #older: Edge = { more: false, cursor: null };

  constructor(fetch: FetchPage) {
    this.#fetch = fetch;
  }

  /** Whether there may be newer rows of this search that are not in the window. */
  get hasNewer(): boolean {
    return this.#newer.more;
  }

  get hasOlder(): boolean {
    return this.#older.more;
  }

  /** Empties the window, for a search that starts now. */
  clear(): void {
    this.rows = [];
    this.#newer = { more: false, cursor: null };
    this.#older = { more: false, cursor: null };
  }

  /**
   * Loads the first page: the newest rows, or those from the record `anchor` on. `onRows` is called
   * as rows arrive.
   */
  async start(
    scope: Params,
    anchor: Row | null,
    signal: AbortSignal,
    onRows: () => void,
  ): Promise<SearchEnd> {
    this.clear();
    this.#scope = scope;
    const params: Params = { ...scope, limit: PAGE_ROWS };
    if (anchor) params['to'] = shiftStamp(this.#stamp(anchor), 1n);
    this.#newer.more = anchor !== null;
    const take = (rows: Row[]) => {
      this.rows = this.rows.concat(rows.map(slim));
      onRows();
    };
    let end = await this.#fetch(params, signal, take);
    // A whole batch may have been received at one instant, with the anchor deep inside.
    while (anchor && end.cursor && this.rows.length < ROWS_MAX && !this.#reaches(anchor)) {
      end = await this.#fetch({ ...params, cursor: end.cursor }, signal, take);
    }
    this.#older = { more: end.cursor !== null, cursor: end.cursor };
    return end;
  }

  /** Loads the next older page. Does nothing if the window moved meanwhile. */
  async older(signal: AbortSignal): Promise<void> {
    const edge = this.rows.at(-1);
    const { rows, end } = await this.#beyond(this.#older, edge, 'desc', signal);
    if (this.rows.at(-1) !== edge) return;
    this.#older = { more: end.cursor !== null, cursor: end.cursor };
    const kept = this.rows.concat(rows);
    this.rows = kept.slice(-ROWS_MAX);
    if (kept.length > ROWS_MAX) this.#newer = { more: true, cursor: null };
  }

  /** Loads the next newer page. Does nothing if the window moved meanwhile. */
  async newer(signal: AbortSignal): Promise<void> {
    const edge = this.rows[0];
    const { rows, end } = await this.#beyond(this.#newer, edge, 'asc', signal);
    if (this.rows[0] !== edge) return;
    this.#newer = { more: end.cursor !== null, cursor: end.cursor };
    this.#prepend(rows.reverse());
  }

  /** Takes rows that have just arrived, oldest first. */
  arrive(rows: readonly Row[]): void {
    if (this.#newer.more) {
      // Rows are missing between the window and these, so the window starts anew with these.
      this.rows = [];
      this.#newer = { more: false, cursor: null };
      this.#older = { more: true, cursor: null };
    }
    this.#prepend(rows.map(slim).reverse());
  }

  /** Says that rows after the newest one were missed. */
  markGap(): void {
    this.#newer = { more: true, cursor: null };
  }

  /** Whether the rows go as far down as this one, or would if it were among them. */
  #reaches(row: Row): boolean {
    const last = this.rows.at(-1);
    return !last || this.#stamp(last) !== this.#stamp(row) || this.rows.some(({ id }) => id === row.id);
  }

  #stamp(row: Row): string {
    return stampOf(row, this.#scope['time']);
  }

  #prepend(rows: readonly Row[]): void {
    const kept = rows.concat(this.rows);
    this.rows = kept.slice(0, ROWS_MAX);
    if (kept.length > ROWS_MAX) this.#older = { more: true, cursor: null };
  }

  /**
   * A page of rows beyond `row`. With a cursor the server goes on; without, the page is asked for
   * from that row's time, and rows are skipped until that row itself has passed.
   */
  async #beyond(
    edge: Edge,
    row: Row | undefined,
    order: 'asc' | 'desc',
    signal: AbortSignal,
  ): Promise<{ rows: Row[]; end: SearchEnd }> {
    let { cursor } = edge;
    let passed = cursor !== null || row === undefined;
    const params: Params = { ...this.#scope, order, limit: PAGE_ROWS };
    if (!passed && row && order === 'desc') params['to'] = shiftStamp(this.#stamp(row), 1n);
    if (!passed && row && order === 'asc') params['from'] = this.#stamp(row);
    for (;;) {
      const found: Row[] = [];
      const end = await this.#fetch({ ...params, cursor }, signal, (rows) => {
        for (const each of rows) {
          if (passed) found.push(slim(each));
          else if (each.id === row?.id) passed = true;
          else if (!row || this.#stamp(each) !== this.#stamp(row)) {
            passed = true;
            found.push(slim(each));
          }
        }
      });
      if (found.length > 0 || end.cursor === null) return { rows: found, end };
      cursor = end.cursor;
    }
  }
}
