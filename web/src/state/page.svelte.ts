// What buttons and keys do: the one place that knows the search, the tail and the status together.

import type { Zone } from '../text/clock';
import { quote, withFilter } from '../text/query-text';
import type { TimeRange } from '../text/range';
import { Live } from './live.svelte';
import {
  applyTheme,
  nextTheme,
  readShortcutsOn,
  readTheme,
  readZone,
  rememberShortcutsOn,
  rememberTheme,
  rememberZone,
  type Theme,
} from './preferences';
import { Search } from './search.svelte';
import { ServerStatus } from './status.svelte';
import { scopeOf, type View } from './view';

export class Page {
  readonly search = new Search();
  readonly status = new ServerStatus();
  readonly live = new Live({
    arrive: (rows, gap) => {
      if (gap) this.search.feed.markGap();
      this.search.arrive(rows);
    },
    refreshHistogram: () => void this.search.refreshHistogram(),
    fail: (problem) => (this.search.problem = problem),
  });

  theme = $state<Theme>(readTheme());
  helpOpen = $state(false);
  shortcutsOn = $state(readShortcutsOn());
  #zone = $state<Zone>(readZone());

  /** The zone of all times on the page: the URL's, or the one last chosen. */
  get zone(): Zone {
    return this.search.view.tz || this.#zone;
  }

  /** Runs the query box; a live tail goes on with the new query if the range is still open. */
  async run(changes: Partial<View> = {}): Promise<void> {
    const wasLive = this.live.on;
    this.live.stop();
    this.live.dropped = 0;
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
    this.search.draft = withFilter(this.search.draft, prefix, value, exclude);
    return this.run();
  }

  /** Starts the tail after the newest records there are, or stops it. */
  async toggleTail(): Promise<void> {
    if (this.live.on) {
      this.live.stop();
      return;
    }
    await this.search.run({ to: '' });
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
    this.#zone = this.zone === 'utc' ? 'local' : 'utc';
    rememberZone(this.#zone);
    this.search.show({ tz: this.#zone });
  }

  toggleTheme(): void {
    this.theme = nextTheme(this.theme);
    rememberTheme(this.theme);
    applyTheme(this.theme);
  }

  setShortcuts(on: boolean): void {
    this.shortcutsOn = on;
    rememberShortcutsOn(on);
  }

  toggleColumn(column: string): void {
    const { cols } = this.search.view;
    const has = cols.includes(column);
    this.search.show({ cols: has ? cols.filter((each) => each !== column) : [...cols, column] });
  }
}
