// What buttons and keys do: the one place that knows the search, the tail and the status together.

import type { Zone } from '../text/clock';
import { cutQuestion, joinQuestion } from '../text/pipe';
import { quote, withClause, withFilter } from '../text/query-text';
import type { TimeRange } from '../text/range';
import { filterPrefix } from '../text/fields';
import type { Row } from '../api/types';
import { Choices } from './choices.svelte';
import type { Known } from './completion';
import { Drawn } from './drawn.svelte';
import { Facets } from './facets.svelte';
import { QueryHistory } from './history.svelte';
import { Live } from './live.svelte';
import {
  readShortcutsOn,
  readSwitch,
  readWidths,
  rememberShortcutsOn,
  rememberSwitch,
  rememberWidths,
} from './preferences';
import { Search } from './search.svelte';
import { ServerStatus } from './status.svelte';
import { scopeOf, type Around, type View } from './view';

export class Page {
  readonly search = new Search();
  readonly status = new ServerStatus();
  readonly facets = new Facets();
  readonly history = new QueryHistory();
  readonly live = new Live({
    arrive: (rows, gap) => {
      if (gap) this.search.feed.markGap();
      this.search.arrive(rows);
    },
    refreshHistogram: () => void this.search.refreshHistogram(),
    fail: (problem) => (this.search.problem = problem),
  });

  readonly choices = new Choices();
  readonly drawn = new Drawn();
  helpOpen = $state(false);
  shortcutsOn = $state(readShortcutsOn());
  wrap = $state(readSwitch('wrap', false));
  dense = $state(readSwitch('dense', false));
  /** Widths of columns, in pixels, where they are not the usual ones. */
  widths = $state.raw(readWidths());

  /** The zone of all times on the page: the URL's, or the one last chosen. */
  get zone(): Zone {
    return this.search.view.tz || this.choices.zone;
  }

  /** Runs the query box; a live tail goes on with the new query if the range is still open. */
  async run(changes: Partial<View> = {}): Promise<void> {
    const wasLive = this.live.on;
    this.live.stop();
    this.live.dropped = 0;
    this.history.remember(this.search.draft);
    await this.search.run(changes);
    if (wasLive && this.search.view.to === '') this.#follow();
  }

  /** Shows what the URL says. */
  async open(): Promise<void> {
    this.live.stop();
    await this.search.open();
  }

  setRange(range: TimeRange): Promise<void> {
    return this.run(range);
  }

  /** Searches the text of the query box as a phrase. */
  searchAsPhrase(): Promise<void> {
    this.search.draft = quote(this.search.draft.trim());
    return this.run();
  }

  /** `prefix` is the field with what comes before a value: `host:`. */
  addFilter(prefix: string, value: string, exclude: boolean): Promise<void> {
    const { query, pipe } = cutQuestion(this.search.draft);
    this.search.draft = joinQuestion({ query: withFilter(query, prefix, value, exclude), pipe });
    return this.run();
  }

  /** Shows the records that one more clause holds for. */
  searchFor(clause: string): Promise<void> {
    this.search.draft = withClause(cutQuestion(this.search.draft).query, clause);
    return this.run();
  }

  /** Shows what a pipe makes of the records that match; none shows the records themselves. */
  pipeTo(pipe: string, changes: Partial<View> = {}): Promise<void> {
    this.search.draft = joinQuestion({ query: cutQuestion(this.search.draft).query, pipe });
    return this.run(changes);
  }

  /** What completions are made of. */
  known(): Known {
    return { scope: scopeOf(this.search.view), queries: this.history.queries };
  }

  /** Narrows the search to a value of a field, or to all others. */
  filterBy(name: string, value: string, exclude: boolean): Promise<void> {
    const prefix = filterPrefix(name);
    return prefix === null ? this.run({ logspace: value }) : this.addFilter(prefix, value, exclude);
  }

  /** Splits the histogram by the values of a field; empty makes it whole again. */
  splitBy(split: string): void {
    this.search.show({ split });
  }

  /** Shows what is around a record, in place of what matches. */
  lookAround(row: Row, around: Around): Promise<void> {
    this.live.stop();
    return this.search.look(row, around);
  }

  /** Starts the tail after the newest records there are, or stops it. */
  async toggleTail(): Promise<void> {
    if (this.live.on) {
      this.live.stop();
      return;
    }
    this.search.draft = cutQuestion(this.search.draft).query;
    // A tail is in the order of receipt.
    await this.search.run({ to: '', time: '' });
    this.#follow();
  }

  #follow(): void {
    const { search } = this;
    if (search.problem || search.running) return;
    const { q, logspace } = scopeOf(search.view);
    this.live.start({ q, logspace }, search.rows[0]?.id ?? null);
  }

  /** Stops what runs: the search, else the tail; says whether anything did. */
  stop(): boolean {
    if (this.search.stop()) return true;
    const wasLive = this.live.on;
    this.live.stop();
    return wasLive;
  }

  toggleZone(): void {
    this.choices.zone = this.zone;
    this.choices.toggleZone();
    this.search.show({ tz: this.choices.zone });
  }

  setShortcuts(on: boolean): void {
    this.shortcutsOn = on;
    rememberShortcutsOn(on);
  }

  toggleWrap(): void {
    this.wrap = !this.wrap;
    rememberSwitch('wrap', this.wrap);
  }

  toggleDense(): void {
    this.dense = !this.dense;
    rememberSwitch('dense', this.dense);
  }

  /** Makes a column so wide; null gives it its usual width back. */
  resizeColumn(column: string, width: number | null): void {
    const { [column]: _old, ...others } = this.widths;
    this.widths = width === null ? others : { ...others, [column]: width };
    rememberWidths(this.widths);
  }

  /** Moves a column by one place, to the left (-1) or to the right (1). */
  moveColumn(column: string, step: -1 | 1): void {
    const cols = [...this.search.view.cols];
    const from = cols.indexOf(column);
    const other = cols[from + step];
    if (from < 0 || other === undefined) return;
    cols[from] = other;
    cols[from + step] = column;
    this.search.show({ cols });
  }

  toggleColumn(column: string): void {
    const { cols } = this.search.view;
    const has = cols.includes(column);
    this.search.show({ cols: has ? cols.filter((each) => each !== column) : [...cols, column] });
  }
}
