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
};

const WIDTH_OTHER = '17ch';

/** The tracks of the grid that every row is: chevron, time, severity, columns, message. */
export function columnTracks(columns: readonly string[]): string {
  const tracks = columns.map((column) => `minmax(0, ${WIDTHS[column] ?? WIDTH_OTHER})`);
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

/** Fills the head with the names of the columns. */
export function drawHead(head: HTMLElement, columns: readonly string[], zone: Zone): void {
  const time = headCell('log-time', 'received ');
  time.append(element('span', 'log-zone', zoneText(zone, Date.now())));
  head.replaceChildren(
    narrowHeadCell('log-chevron', 'details'),
    time,
    narrowHeadCell('log-severity', 'severity'),
    ...columns.map((column) => headCell('log-column', column)),
    headCell('log-message', 'message'),
  );
}
