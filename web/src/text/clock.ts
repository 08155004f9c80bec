// Times as people read them, in UTC or in the browser's zone, with the zone always printed.

import { formatStamp, parseStamp, stampMs } from './stamp';

export type Zone = 'utc' | 'local';

const two = (number: number) => String(number).padStart(2, '0');

interface Civil {
  date: string;
  time: string;
  ms: string;
  offsetMinutes: number;
}

/** The calendar date and wall clock of an instant. */
function civil(ms: number, zone: Zone): Civil {
  const offsetMinutes = zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset();
  const iso = new Date(ms + offsetMinutes * 60_000).toISOString();
  return { date: iso.slice(0, 10), time: iso.slice(11, 19), ms: iso.slice(20, 23), offsetMinutes };
}

/** `2026-11-21`. */
export function dateText(ms: number, zone: Zone): string {
  return civil(ms, zone).date;
}

/** `18:47:27.120`. */
export function timeText(ms: number, zone: Zone): string {
  const { time, ms: fraction } = civil(ms, zone);
  return `${time}.${fraction}`;
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** ISO 8601 with all nanoseconds and the offset; the text itself if it is no time stamp. */
export function isoText(stamp: string, zone: Zone): string {
  const nanos = parseStamp(stamp);
  if (nanos === null) return stamp;
  const utc = formatStamp(nanos);
  if (zone === 'utc') return utc;
  const { date, time, offsetMinutes } = civil(stampMs(nanos), zone);
  return `${date}T${time}${utc.slice(19, 29)}${offsetText(offsetMinutes)}`;
}

/** `UTC` or `UTC+01:00`: what is printed beside every time. */
export function zoneText(zone: Zone, ms: number): string {
  return zone === 'utc' ? 'UTC' : `UTC${offsetText(-new Date(ms).getTimezoneOffset())}`;
}

const SECONDS_FROM_MS = 10_000;
const MINUTES_FROM_MS = 2 * 3_600_000;

/** `2026-11-21 18:47 - 19:02 UTC`; as exact as its length asks for, the second date if another. */
export function spanText(fromMs: number, toMs: number, zone: Zone): string {
  const length = toMs - fromMs;
  const short = ({ time, ms }: Civil) => {
    if (length >= MINUTES_FROM_MS) return time.slice(0, 5);
    return length >= SECONDS_FROM_MS ? time : `${time}.${ms}`;
  };
  const from = civil(fromMs, zone);
  const to = civil(toMs, zone);
  const end = from.date === to.date ? short(to) : `${to.date} ${short(to)}`;
  return `${from.date} ${short(from)} \u2013 ${end} ${zoneText(zone, toMs)}`;
}
