// Where the parts of a record stand in the bytes that arrived, and where those come from that do not.

import type { Row } from '../api/types';
import { indexOfByte } from './offsets';

export interface Place {
  start: number;
  end: number;
}

const PRIORITY = /^<\d{1,3}>/;

/** Parts that a message never has of itself. */
const OURS: readonly string[] = ['received', 'logspace', 'source'];

/** The `nth` value of a part in the raw text, as indices of it; null where it does not stand there. */
export function placeOf(row: Row, part: string, nth: number): Place | null {
  const { raw } = row;
  if (raw === undefined) return null;
  if (part === 'facility' || part === 'severity') {
    const length = PRIORITY.exec(raw)?.[0].length;
    return length === undefined ? null : { start: 0, end: length };
  }
  const place = row.places?.filter((each) => each.part === part)[nth];
  return place ? { start: indexOfByte(raw, place.start), end: indexOfByte(raw, place.end) } : null;
}

/** Whether the time is that of the message. What is imported has been filed under it. */
function isStamped(row: Row): boolean {
  return row.time !== row.received || row.source === 'import';
}

/** Where a part comes from, in words. */
export function originOf(row: Row, part: string, place: Place | null): string {
  if (place) return `characters ${place.start + 1} to ${place.end}`;
  if (OURS.includes(part) || part === 'tag') return 'noted on arrival';
  if (part === 'peer') return 'the connection';
  if (part === 'time') return isStamped(row) ? 'the time stamp of the message' : 'the time of receipt';
  if (row.raw === undefined) return '';
  if (part === 'facility' || part === 'severity') return 'the usual one, since the message has none';
  return part === 'host' ? 'the sender, or the settings of the source' : 'the message, unescaped';
}
