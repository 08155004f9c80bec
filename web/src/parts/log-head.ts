// The head of the list, and the widths that it shares with the rows.

import { zoneText, type Zone } from '../text/clock';
import { element } from './row-view';

const WIDTHS: Readonly<Record<string, string>> = {
  host: '15ch',
  program: '13ch',
  pid: '7ch',
  facility: '9ch',
  source: '9ch',
  logspace: '11ch',
  time: '24ch',
};

const WIDTH_OTHER = '17ch';

/** Widths that somebody chose, in pixels. */
export type ColumnWidths = Readonly<Record<string, number>>;

export const WIDTH_MIN = 40;
export const WIDTH_MAX = 1_200;
const WIDTH_STEP = 16;

/** The tracks of the grid that every row is: chevron, time, severity, columns, message. */
export function columnTracks(columns: readonly string[], widths: ColumnWidths): string {
  const width = (column: string) => {
    const chosen = widths[column];
    return chosen === undefined ? (WIDTHS[column] ?? WIDTH_OTHER) : `${chosen}px`;
  };
  const tracks = columns.map((column) => `minmax(0, ${width(column)})`);
  return ['22px', '24ch', '26px', ...tracks, 'minmax(20ch, 1fr)'].join(' ');
}

function headCell(className: string, text: string): HTMLElement {
  const node = element('div', `log-cell ${className}`, text);
  node.setAttribute('role', 'columnheader');
  return node;
}

/** The head of a column so narrow that its name is only read out. */
function narrowHeadCell(className: string, name: string): HTMLElement {
  const node = headCell(className, '');
  node.append(element('span', 'visually-hidden', name));
  return node;
}

/** What resizes columns: null gives a column its usual width back. */
export type OnResize = (column: string, width: number | null) => void;

/** The right edge of a column's head: dragged, or moved by arrows; a double click resets it. */
function grip(cell: HTMLElement, column: string, onResize: OnResize): HTMLElement {
  const node = element('span', 'log-grip');
  node.tabIndex = 0;
  node.setAttribute('role', 'separator');
  node.setAttribute('aria-orientation', 'vertical');
  node.setAttribute('aria-label', `Width of ${column}`);
  node.setAttribute('aria-valuemin', String(WIDTH_MIN));
  node.setAttribute('aria-valuemax', String(WIDTH_MAX));
  node.dataset['testid'] = `grip-${column}`;
  const resize = (width: number) => {
    onResize(column, Math.round(Math.max(WIDTH_MIN, Math.min(width, WIDTH_MAX))));
  };
  // The head is drawn anew while a column is dragged, so the moves are the window's.
  node.addEventListener('pointerdown', (press) => {
    const start = cell.clientWidth - press.clientX;
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('pointermove', (move) => resize(start + move.clientX), { signal });
    window.addEventListener('pointerup', () => stop.abort(), { signal });
    window.addEventListener('pointercancel', () => stop.abort(), { signal });
    press.preventDefault();
  });
  node.addEventListener('dblclick', () => onResize(column, null));
  node.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -WIDTH_STEP, ArrowRight: WIDTH_STEP }[event.key];
    if (step === undefined) return;
    resize(cell.clientWidth + step);
    event.preventDefault();
  });
  return node;
}

function columnHead(column: string, onResize: OnResize): HTMLElement {
  const node = headCell('log-column', '');
  node.append(element('span', 'log-name', column), grip(node, column, onResize));
  return node;
}

/** Fills the head with the names of the columns; a grip that has the focus keeps it. */
export function drawHead(
  head: HTMLElement,
  columns: readonly string[],
  zone: Zone,
  timeLabel: string,
  onResize: OnResize,
): void {
  const focused = head.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).dataset['testid']
    : undefined;
  const time = headCell('log-time', `${timeLabel} `);
  time.append(element('span', 'log-zone', zoneText(zone, Date.now())));
  head.replaceChildren(
    narrowHeadCell('log-chevron', 'details'),
    time,
    narrowHeadCell('log-severity', 'severity'),
    ...columns.map((column) => columnHead(column, onResize)),
    headCell('log-message', 'message'),
  );
  for (const node of head.querySelectorAll<HTMLElement>('.log-grip')) {
    node.setAttribute('aria-valuenow', String(node.parentElement?.clientWidth ?? 0));
  }
  if (focused !== undefined) {
    head.querySelector<HTMLElement>(`[data-testid="${CSS.escape(focused)}"]`)?.focus();
  }
}
