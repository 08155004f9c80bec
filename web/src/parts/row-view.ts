// One row of the list as elements. Log text enters the page here, and only as text nodes.

import type { Row } from '../api/types';
import { dateText, isoText, timeText, zoneText, type Zone } from '../text/clock';
import { visible } from '../text/glyphs';
import { pieces, type MarkedColumn, type Marks } from '../text/highlight';
import { severityClass, severityLetter } from '../text/severity';
import { stampOf, textMs } from '../text/stamp';
import type { ColumnWidths } from './log-head';

export interface RowStyle {
  zone: Zone;
  /** Which time is shown: `event` for that of the sender, empty for that of receipt. */
  time: 'event' | '';
  columns: readonly string[];
  marks: Marks;
  /** Whether long messages go on in further lines. */
  wrap: boolean;
  /** Whether rows are lower than usual. */
  dense: boolean;
  /** Widths of columns that somebody chose. */
  widths: ColumnWidths;
}

/** Longest text drawn in a cell of one line; no screen is wider. */
const CELL_LENGTH_MAX = 1_000;

/** Longest message drawn over several lines: all that the list keeps of it. */
const WRAPPED_LENGTH_MAX = 4_100;

export function element(tag: string, className: string, text?: string): HTMLElement {
  const node = document.createElement(tag);
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function cell(className: string): HTMLElement {
  const node = element('div', `log-cell ${className}`);
  node.setAttribute('role', 'gridcell');
  return node;
}

/** When the sender says that it happened, as the list shows it. */
function sentText(time: string, zone: Zone): string {
  const ms = textMs(time);
  return `${dateText(ms, zone)} ${timeText(ms, zone)}`;
}

/** The text of a column of a row; empty where the record has none. */
export function columnText(row: Row, column: string, zone: Zone): string {
  switch (column) {
    case 'time':
      return row.time === null ? '' : sentText(row.time, zone);
    case 'host':
    case 'program':
    case 'pid':
    case 'msgid':
    case 'facility':
    case 'source':
    case 'logspace':
      return row[column];
    case 'peer':
      return row.peer ?? '';
    case 'tags':
      return row.tags.join(', ');
    default: {
      const value = row.fields[column];
      return Array.isArray(value) ? value.join(', ') : (value ?? '');
    }
  }
}

/** Appends a text with its matches marked and its unseen characters escaped. */
export function appendText(parent: HTMLElement, text: string, mark: RegExp | undefined): void {
  for (const piece of pieces(text, mark)) {
    if (!piece.match && !piece.escaped) {
      parent.append(piece.text);
    } else {
      const tag = piece.match ? 'mark' : 'span';
      parent.append(element(tag, piece.escaped ? 'glyph' : '', piece.text));
    }
  }
}

function textCell(
  className: string,
  text: string,
  mark: RegExp | undefined,
  lengthMax = CELL_LENGTH_MAX,
): HTMLElement {
  const node = cell(className);
  const shown = text.length > lengthMax ? `${text.slice(0, lengthMax)}\u2026` : text;
  appendText(node, shown, mark);
  return node;
}

function timeCell(row: Row, { zone, time }: RowStyle): HTMLElement {
  const node = cell('log-time');
  const ms = textMs(stampOf(row, time));
  node.append(element('span', 'log-date', dateText(ms, zone)), ` ${timeText(ms, zone)}`);
  const event = row.time ? `\nsent ${isoText(row.time, zone)}` : '';
  node.title = `received ${isoText(row.received, zone)} (${zoneText(zone, ms)})${event}`;
  return node;
}

function severityCell(row: Row): HTMLElement {
  const node = cell('log-severity');
  const letter = element('span', 'log-letter', severityLetter(row.severity));
  letter.setAttribute('aria-hidden', 'true');
  node.title = row.severity;
  node.append(letter, element('span', 'visually-hidden', row.severity));
  return node;
}

/** Fills an empty element with the cells of a row. */
export function drawRow(node: HTMLElement, row: Row, style: RowStyle): void {
  node.className = `log-row ${severityClass(row.severity)}`;
  const chevron = element('div', 'log-chevron');
  chevron.setAttribute('role', 'gridcell');
  chevron.append(element('span', 'log-chevron-mark'));
  node.append(chevron, timeCell(row, style), severityCell(row));
  for (const column of style.columns) {
    const text = columnText(row, column, style.zone);
    const node_ = textCell('log-column', text, style.marks[column as MarkedColumn]);
    node_.title = visible(text.slice(0, CELL_LENGTH_MAX));
    node.append(node_);
  }
  const lengthMax = style.wrap ? WRAPPED_LENGTH_MAX : CELL_LENGTH_MAX;
  node.append(textCell('log-message', row.message, style.marks.message, lengthMax));
}

/** A row as one clean line, for the clipboard. */
export function rowLine(row: Row, style: RowStyle): string {
  const columns = style.columns.map((column) => columnText(row, column, style.zone));
  const parts = [isoText(stampOf(row, style.time), style.zone), row.severity, ...columns, row.message];
  return visible(parts.filter((part) => part !== '').join(' '));
}
