// The list of log rows: a virtual list that draws only what is in view.
//
// Rows have a fixed height; details unfold below a row in place. Elements belong to a record, not
// to a position, so a row keeps its element, and a text selection in it, while others come and go.
// Selecting text is sacred: it never opens details, and nothing moves or vanishes while it lasts.
// Keyboard focus stays on the grid itself, which names the active row (`aria-activedescendant`),
// because a focused row that is scrolled out of view would lose the focus.

import './log-list.css';

import type { Row } from '../api/types';
import { columnTracks, drawHead, type OnResize } from './log-head';
import { RowGeometry } from './row-geometry';
import { drawRow, element, rowLine, type RowStyle } from './row-view';

export interface LogListEvents {
  /** The view comes near an end of the rows. */
  onNear(edge: 'newer' | 'older'): void;
  /** Whether someone reads: scrolled away from the newest row, selecting, or with details open. */
  onReading(reading: boolean): void;
  /** The first and the last row in view. */
  onVisible(newest: Row, oldest: Row): void;
  onToggle(id: string, open: boolean): void;
  onResize: OnResize;
  /** Draws the details of a row into an element; returns what takes them away again. */
  drawDetails(row: Row, host: HTMLElement): () => void;
}

export interface LogListState {
  /** Newest first. */
  rows: readonly Row[];
  /** How many records match, if known. */
  total: number | null;
  style: RowStyle;
  /** Whether rows that come on top push the others down, instead of staying out of view. */
  follow: boolean;
  /** The row whose surroundings these are. */
  anchor: string | null;
}

/** What of the list is in view, to be found again later. */
export interface ListPlace {
  first: { id: string; offset: number } | null;
  active: string | null;
  open: readonly string[];
}

interface Details {
  node: HTMLElement;
  height: number;
  remove: () => void;
}

const OVERSCAN_ROWS = 8;
const NEAR_ROWS = 60;
const ROW_HEIGHT = 26;
const ROW_HEIGHT_DENSE = 21;
const ROW_HEIGHT_NARROW = 46;
/** How often rows are placed anew until all wrapped ones in view have been measured. */
const PASSES_MAX = 4;
const CLICK_DISTANCE_MAX = 4;

export class LogList {
  #events!: LogListEvents;
  #state: LogListState | null = null;
  #rows: readonly Row[] = [];
  #geometry = new RowGeometry(ROW_HEIGHT, 0);
  #rowHeight = ROW_HEIGHT;
  #active: string | null = null;
  #reading = false;
  #frame = 0;
  #pressed = { x: 0, y: 0, selecting: false };

  readonly #drawn = new Map<string, HTMLElement>();
  readonly #open = new Map<string, Details>();
  /** How much taller wrapped rows are than others, as far as they have been drawn. */
  readonly #wrapped = new Map<string, number>();
  readonly #root = element('div', 'log-list');
  readonly #head = element('div', 'log-row log-head');
  readonly #canvas = element('div', 'log-canvas');
  readonly #narrow = matchMedia('(max-width: 640px)');
  readonly #abort = new AbortController();
  readonly #sizes = new ResizeObserver(() => this.#resize());
  #width = 0;

  mount(host: HTMLElement, events: LogListEvents): void {
    this.#events = events;
    const root = this.#root;
    root.tabIndex = 0;
    root.dataset['testid'] = 'rows';
    root.setAttribute('role', 'grid');
    root.setAttribute('aria-label', 'Records, newest first');
    this.#head.setAttribute('role', 'row');
    this.#head.setAttribute('aria-rowindex', '1');
    this.#canvas.setAttribute('role', 'rowgroup');
    root.append(this.#head, this.#canvas);
    host.append(root);
    this.#listen();
    this.#sizes.observe(root);
  }

  update(state: LogListState): void {
    const restyled = state.style !== this.#state?.style;
    const follow = state.follow && !this.#reading;
    // An empty list is where it was. To ask it where that is would lay out the page once more.
    const wasEmpty = this.#rows.length === 0;
    const anchor = follow || wasEmpty ? null : this.#anchor();
    this.#state = state;
    this.#rows = state.rows;
    if (restyled) this.#restyle(state.style);
    this.#root.setAttribute('aria-rowcount', String(state.total === null ? -1 : state.total + 1));
    for (const id of [...this.#open.keys()]) if (this.#indexOf(id) < 0) this.#close(id);
    if (this.#indexOf(this.#active) < 0) this.#active = null;
    this.#measure();
    if (!this.#scrollTo(anchor) && !follow && !wasEmpty) this.#root.scrollTop = 0;
    if (!wasEmpty || this.#rows.length > 0) this.#render();
  }

  /** What is in view now. */
  place(): ListPlace {
    return { first: this.#anchor(), active: this.#active, open: [...this.#open.keys()] };
  }

  /** Brings into view what was there, as far as its rows are in the list. */
  restore(place: ListPlace): void {
    for (const id of place.open) {
      const row = this.#rows[this.#indexOf(id)];
      if (row && !this.#open.has(id)) this.#unfold(row);
    }
    this.#active = this.#indexOf(place.active) < 0 ? null : place.active;
    this.#measure();
    this.#scrollTo(place.first);
    this.#render();
  }

  /** The active row. */
  get active(): Row | null {
    return this.#rows[this.#indexOf(this.#active)] ?? null;
  }

  /** Makes the next row that is wanted the active one, up (-1) or down (1) from the active one. */
  seek(direction: 1 | -1, wanted: (row: Row) => boolean): void {
    let index = this.#indexOf(this.#active);
    if (index < 0) index = this.#geometry.indexAt(this.#root.scrollTop) - direction;
    for (let at = index + direction; at >= 0 && at < this.#rows.length; at += direction) {
      const row = this.#rows[at];
      if (row && wanted(row)) {
        this.activate(at);
        return;
      }
    }
  }

  destroy(): void {
    this.#abort.abort();
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#frame);
    for (const id of [...this.#open.keys()]) this.#close(id);
    this.#root.remove();
  }

  focus(): void {
    this.#root.focus({ preventScroll: true });
  }

  scrollToNewest(): void {
    this.#root.scrollTop = 0;
  }

  /** Moves the active row; from none, to the first one in view. */
  move(rows: number): void {
    const index = this.#indexOf(this.#active);
    const start = index < 0 ? this.#geometry.indexAt(this.#root.scrollTop) - Math.sign(rows) : index;
    this.activate(start + rows);
  }

  /** Makes a row the active one, the nearest if there is none there, and brings it into view. */
  activate(index: number): void {
    const at = Math.max(0, Math.min(index, this.#rows.length - 1));
    const row = this.#rows[at];
    if (!row) return;
    this.#active = row.id;
    const top = this.#geometry.top(at);
    const view = this.#root.clientHeight - this.#head.offsetHeight;
    if (top < this.#root.scrollTop) this.#root.scrollTop = top;
    const lowest = top + this.#heightOf(row.id) - view;
    if (lowest > this.#root.scrollTop) this.#root.scrollTop = lowest;
    this.#render();
  }

  toggleActive(): void {
    if (this.#active !== null) this.toggle(this.#active);
  }

  /** Brings a row into view, a third down, with its details where they are wanted. */
  reveal(id: string, withDetails: boolean): void {
    const index = this.#indexOf(id);
    if (index < 0) return;
    if (withDetails && !this.#open.has(id)) this.toggle(id);
    this.#active = id;
    this.#root.scrollTop = this.#geometry.top(index) - this.#root.clientHeight / 3;
    this.#render();
  }

  /** Closes all details; says whether any were open. */
  closeDetails(): boolean {
    const ids = [...this.#open.keys()];
    for (const id of ids) this.toggle(id);
    return ids.length > 0;
  }

  toggle(id: string): void {
    const row = this.#rows[this.#indexOf(id)];
    if (!row) return;
    const open = !this.#open.has(id);
    if (open) this.#unfold(row);
    else this.#close(id);
    this.#active = id;
    this.#layout();
    this.#events.onToggle(id, open);
  }

  #listen(): void {
    const options = { signal: this.#abort.signal };
    const root = this.#root;
    root.addEventListener('scroll', () => this.#schedule(), { ...options, passive: true });
    root.addEventListener('keydown', (event) => this.#onKey(event), options);
    root.addEventListener('focus', () => this.#active ?? this.move(1), options);
    root.addEventListener('copy', (event) => this.#onCopy(event), options);
    root.addEventListener('pointerdown', (event) => this.#onPress(event), options);
    this.#canvas.addEventListener('click', (event) => this.#onClick(event), options);
    document.addEventListener('selectionchange', () => this.#tellReading(), options);
    this.#narrow.addEventListener('change', () => this.#layout(), options);
  }

  #indexOf(id: string | null): number {
    return id === null ? -1 : this.#rows.findIndex((row) => row.id === id);
  }

  #selection(): Selection | null {
    const selection = document.getSelection();
    const inside = selection && !selection.isCollapsed && this.#canvas.contains(selection.anchorNode);
    return inside ? selection : null;
  }

  /** The first row in view and how far it is scrolled out, to find the place again. */
  #anchor(): { id: string; offset: number } | null {
    const index = this.#geometry.indexAt(this.#root.scrollTop);
    const row = this.#rows[index];
    return row ? { id: row.id, offset: this.#root.scrollTop - this.#geometry.top(index) } : null;
  }

  /** Scrolls to where a row stood; says whether it is there. */
  #scrollTo(place: { id: string; offset: number } | null): boolean {
    const index = this.#indexOf(place?.id ?? null);
    if (!place || index < 0) return false;
    this.#root.scrollTop = this.#geometry.top(index) + place.offset;
    return true;
  }

  #restyle(style: RowStyle): void {
    this.#root.style.setProperty('--log-columns', columnTracks(style.columns, style.widths));
    this.#root.classList.toggle('is-wrapped', style.wrap);
    this.#wrapped.clear();
    drawHead(this.#head, style.columns, style.zone, style.time || 'received', this.#events.onResize);
    for (const node of this.#drawn.values()) node.remove();
    this.#drawn.clear();
  }

  #unfold(row: Row): void {
    const node = element('div', 'log-details');
    node.setAttribute('role', 'row');
    node.dataset['testid'] = 'details';
    const cell = element('div', 'log-details-cell');
    cell.setAttribute('role', 'gridcell');
    node.append(cell);
    this.#canvas.append(node);
    this.#open.set(row.id, { node, height: 0, remove: this.#events.drawDetails(row, cell) });
    this.#sizes.observe(node);
  }

  #close(id: string): void {
    const details = this.#open.get(id);
    if (!details) return;
    this.#sizes.unobserve(details.node);
    details.remove();
    details.node.remove();
    this.#open.delete(id);
  }

  /** The height of a row itself, without its details. */
  #heightOf(id: string): number {
    return this.#rowHeight + (this.#wrapped.get(id) ?? 0);
  }

  #measure(): void {
    const usual = this.#state?.style.dense ? ROW_HEIGHT_DENSE : ROW_HEIGHT;
    this.#rowHeight = this.#narrow.matches ? ROW_HEIGHT_NARROW : usual;
    this.#root.style.setProperty('--row-height', `${this.#rowHeight}px`);
    const extras = new Map<number, number>();
    if (this.#wrapped.size > 0) {
      this.#rows.forEach((row, index) => {
        const extra = this.#wrapped.get(row.id);
        if (extra) extras.set(index, extra);
      });
    }
    for (const [id, details] of this.#open) {
      details.height = details.node.offsetHeight;
      const index = this.#indexOf(id);
      extras.set(index, (extras.get(index) ?? 0) + details.height);
    }
    this.#geometry = new RowGeometry(this.#rowHeight, this.#rows.length, extras);
    this.#canvas.style.height = `${this.#geometry.height}px`;
  }

  #layout(): void {
    this.#measure();
    this.#render();
  }

  /** After a change of width, wrapped rows have other heights. */
  #resize(): void {
    const { clientWidth } = this.#root;
    if (clientWidth !== this.#width) this.#wrapped.clear();
    this.#width = clientWidth;
    this.#layout();
  }

  /** Measures wrapped rows that have been drawn; says whether any was not as tall as thought. */
  #takeHeights(): boolean {
    if (!this.#state?.style.wrap) return false;
    let changed = false;
    for (const [id, node] of this.#drawn) {
      const extra = node.offsetHeight - this.#rowHeight;
      if (extra === (this.#wrapped.get(id) ?? 0)) continue;
      this.#wrapped.set(id, extra);
      changed = true;
    }
    return changed;
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  /** The indices to draw: in view, around it, unfolded, and what a selection may reach into. */
  #wanted(first: number, last: number): number[] {
    const wanted = new Set<number>();
    const end = Math.min(this.#rows.length - 1, last + OVERSCAN_ROWS);
    for (let index = Math.max(0, first - OVERSCAN_ROWS); index <= end; index += 1) wanted.add(index);
    for (const id of this.#open.keys()) wanted.add(this.#indexOf(id));
    if (this.#selection()) for (const id of this.#drawn.keys()) wanted.add(this.#indexOf(id));
    wanted.delete(-1);
    return [...wanted].sort((a, b) => a - b);
  }

  #render(): void {
    let [first, last] = this.#drawRows();
    for (let pass = 0; pass < PASSES_MAX; pass += 1) {
      const anchor = this.#anchor();
      if (!this.#takeHeights()) break;
      this.#measure();
      this.#scrollTo(anchor);
      [first, last] = this.#drawRows();
    }
    this.#tellActive();
    this.#tellReading();
    this.#tellView(first, last);
  }

  /** Draws the rows in view and around it; answers with the first and the last one in view. */
  #drawRows(): [number, number] {
    const top = this.#root.scrollTop;
    const first = this.#geometry.indexAt(top);
    const last = this.#geometry.indexAt(top + this.#root.clientHeight - this.#head.offsetHeight);
    const wanted = this.#wanted(first, last);
    const ids = new Set(wanted.map((index) => this.#rows[index]?.id));
    for (const [id, node] of this.#drawn) {
      if (ids.has(id)) continue;
      node.remove();
      this.#drawn.delete(id);
    }
    let place = this.#canvas.firstElementChild;
    for (const node of wanted.flatMap((index) => this.#nodesAt(index))) {
      if (node === place) place = place.nextElementSibling;
      else this.#canvas.insertBefore(node, place);
    }
    return [first, last];
  }

  /** The elements of a row: itself and, if unfolded, its details, both put in their places. */
  #nodesAt(index: number): HTMLElement[] {
    const row = this.#rows[index];
    if (!row || !this.#state) return [];
    let node = this.#drawn.get(row.id);
    if (!node) {
      node = this.#draw(row, this.#state.style);
      this.#drawn.set(row.id, node);
    }
    const top = this.#geometry.top(index);
    const details = this.#open.get(row.id);
    node.style.transform = `translateY(${top}px)`;
    node.setAttribute('aria-rowindex', String(index + 2));
    node.firstElementChild?.setAttribute('aria-expanded', String(details !== undefined));
    node.classList.toggle('is-active', row.id === this.#active);
    node.classList.toggle('is-anchor', row.id === this.#state.anchor);
    if (!details) return [node];
    details.node.style.transform = `translateY(${top + this.#heightOf(row.id)}px)`;
    return [node, details.node];
  }

  #draw(row: Row, style: RowStyle): HTMLElement {
    const node = element('div', '');
    node.setAttribute('role', 'row');
    node.id = `row-${row.id}`;
    node.dataset['id'] = row.id;
    node.dataset['testid'] = 'row';
    drawRow(node, row, style);
    return node;
  }

  #tellActive(): void {
    const node = this.#active === null ? undefined : this.#drawn.get(this.#active);
    if (node) this.#root.setAttribute('aria-activedescendant', node.id);
    else this.#root.removeAttribute('aria-activedescendant');
  }

  #tellReading(): void {
    const away = this.#root.scrollTop > this.#rowHeight / 2;
    const reading = away || this.#open.size > 0 || this.#selection() !== null;
    if (reading === this.#reading) return;
    this.#reading = reading;
    this.#events.onReading(reading);
  }

  #tellView(first: number, last: number): void {
    const newest = this.#rows[first];
    const oldest = this.#rows[last];
    if (!newest || !oldest) return;
    this.#events.onVisible(newest, oldest);
    if (last > this.#rows.length - NEAR_ROWS) this.#events.onNear('older');
    if (first < NEAR_ROWS) this.#events.onNear('newer');
  }

  #rowIdAt(target: EventTarget | null): string | undefined {
    const node = target instanceof Element ? target.closest<HTMLElement>('.log-row') : null;
    return node?.dataset['id'];
  }

  #onPress(event: PointerEvent): void {
    const selecting = this.#selection() !== null && event.button === 0;
    this.#pressed = { x: event.clientX, y: event.clientY, selecting };
  }

  /**
   * A plain click opens details: one that did not move, and that neither makes a selection nor
   * takes one away. A second click at once, which selects a word, undoes the first.
   */
  #onClick(event: MouseEvent): void {
    const id = this.#rowIdAt(event.target);
    if (id === undefined || event.detail > 2) return;
    const { x, y, selecting } = this.#pressed;
    const moved = Math.hypot(event.clientX - x, event.clientY - y) > CLICK_DISTANCE_MAX;
    const withKey = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
    const onChevron = event.target instanceof Element && event.target.closest('.log-chevron');
    const isText = moved || withKey || selecting || this.#selection() !== null;
    if (onChevron || !isText || event.detail === 2) this.toggle(id);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#root || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#root.clientHeight / this.#rowHeight) - 2);
    const steps: Record<string, () => void> = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      PageDown: () => this.move(page),
      PageUp: () => this.move(-page),
      Home: () => this.activate(0),
      End: () => this.activate(this.#rows.length - 1),
      Enter: () => this.toggleActive(),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  }

  /** Copies several rows as clean lines, one for each; a selection in one row is left as it is. */
  #onCopy(event: ClipboardEvent): void {
    const selection = this.#selection();
    const style = this.#state?.style;
    if (!selection || !style) return;
    const rows = this.#rows.filter((row) => {
      const node = this.#drawn.get(row.id);
      return node !== undefined && selection.containsNode(node, true);
    });
    if (rows.length < 2) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', rows.map((row) => rowLine(row, style)).join('\n'));
  }
}
