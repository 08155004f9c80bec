// The time range of a search: presets, what a person may type, and moving the window.
//
// A range is the two texts of the API: RFC 3339, UNIX seconds or `now-1h`; empty means open.

import { dateText, timeText, type Zone } from './clock';
import { freeTime } from './free-time';
import { formatStamp, parseStamp, stampMs } from './stamp';

export interface TimeRange {
  from: string;
  to: string;
}

export interface Preset {
  label: string;
  from: string;
}

export const PRESETS: readonly Preset[] = [
  { label: 'Last 15 minutes', from: 'now-15m' },
  { label: 'Last hour', from: 'now-1h' },
  { label: 'Last 24 hours', from: 'now-24h' },
  { label: 'Last 7 days', from: 'now-7d' },
  { label: 'All time', from: '' },
];

const CIVIL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)?$/;

/**
 * What a person typed as a time, in the API's words.
 *
 * A date and time without a zone is read in the zone that the page shows, and so are `4:06 pm`,
 * `yesterday 17:30` and `3 h ago`; everything else is left for the server to judge, which knows the
 * grammar and answers with a hint.
 */
export function readTime(typed: string, zone: Zone, now = Date.now()): string {
  const text = typed.trim();
  const match = CIVIL.exec(freeTime(text, zone, now));
  if (!match) return freeTime(text, zone, now);
  const [, date, minutes = '00:00', seconds = ':00'] = match;
  const wall = `${date}T${minutes}${seconds}`;
  if (zone === 'utc') return `${wall}Z`;
  const ms = Date.parse(`${date}T${minutes}${seconds.slice(0, 3)}`);
  if (Number.isNaN(ms)) return text;
  return new Date(ms).toISOString().slice(0, 19) + seconds.slice(3) + 'Z';
}

function endLabel(text: string, zone: Zone): string {
  const nanos = parseStamp(text);
  if (nanos === null) return text;
  const ms = stampMs(nanos);
  return `${dateText(ms, zone)} ${timeText(ms, zone).replace(/(:00)?\.000$/, '')}`;
}

/** What the button of the range says. */
export function rangeLabel({ from, to }: TimeRange, zone: Zone): string {
  const preset = PRESETS.find((each) => each.from === from);
  if (preset && (to === '' || to === 'now')) return preset.label;
  if (from === '') return `Until ${endLabel(to, zone)}`;
  if (to === '') return `Since ${endLabel(from, zone)}`;
  const start = endLabel(from, zone);
  const end = endLabel(to, zone);
  const sameDay = start.slice(0, 11) === end.slice(0, 11) && start.includes(' ');
  return `${start} \u2013 ${sameDay ? end.slice(11) : end}`;
}

export type WindowMove = 'earlier' | 'later' | 'wider' | 'narrower';

const SHORTEST_WINDOW = 1_000_000n;

/** The window moved by half of itself, or made twice as wide or half as wide about its middle. */
export function moveWindow(range: TimeRange, move: WindowMove): TimeRange | null {
  const from = parseStamp(range.from);
  const to = parseStamp(range.to);
  if (from === null || to === null || to <= from) return null;
  const half = (to - from) / 2n;
  const quarter = half / 2n;
  if (move === 'narrower' && half < SHORTEST_WINDOW) return null;
  const moved = {
    earlier: [from - half, to - half],
    later: [from + half, to + half],
    wider: [from - half, to + half],
    narrower: [from + quarter, to - quarter],
  }[move] as [bigint, bigint];
  return { from: formatStamp(moved[0]), to: formatStamp(moved[1]) };
}
