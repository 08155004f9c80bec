// Times in the words of people: `4:06 pm`, `yesterday 17:30`, `monday`, `3 h ago`.
//
// What is a length of time becomes relative in the words of the API; what is a point in time becomes
// a date and a wall clock, to be read in the zone of the page. A time of day or a weekday alone is the
// last one there was, since logs are of the past.

import { dateText, timeText, type Zone } from './clock';

const DAY_MS = 86_400_000;

const UNITS: readonly [RegExp, string][] = [
  [/^(?:ms|milliseconds?)$/, 'ms'],
  [/^(?:s|secs?|seconds?)$/, 's'],
  [/^(?:m|mins?|minutes?)$/, 'm'],
  [/^(?:h|hrs?|hours?)$/, 'h'],
  [/^(?:d|days?)$/, 'd'],
  [/^(?:w|weeks?)$/, 'w'],
];

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const CLOCK = /^(?:at )?(\d{1,2})(?::(\d\d)(?::(\d\d))?)? ?(am|pm)?$/;
const AGO = /^(\d{1,6}|an?) ?([a-z]+) ago$/;
const DAY = /^(today|yesterday|(?:last )?(?:sun|mon|tues|wednes|thurs|fri|satur)day|\d{4}-\d\d-\d\d)(?:,? (.+))?$/;

/** `17:30:00`; null if it is no time of day, or only a number. */
function clock(text: string): string | null {
  const match = CLOCK.exec(text);
  if (!match) return null;
  const [, hour = '', minute, second = '00', half] = match;
  if (minute === undefined && half === undefined) return null;
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (half === 'pm' ? 12 : 0);
  }
  if (hours > 23 || Number(minute ?? 0) > 59 || Number(second) > 59) return null;
  return `${String(hours).padStart(2, '0')}:${minute ?? '00'}:${second}`;
}

function ago(text: string): string | null {
  const [, number = '', word = ''] = AGO.exec(text) ?? [];
  const unit = UNITS.find(([words]) => words.test(word))?.[1];
  if (unit === undefined) return null;
  return `now-${/^an?$/.test(number) ? 1 : Number(number)}${unit}`;
}

/** The date of the last day that is called so, today or before. */
function dayDate(name: string, zone: Zone, now: number): string {
  if (/^\d/.test(name)) return name;
  if (name === 'today') return dateText(now, zone);
  if (name === 'yesterday') return dateText(now - DAY_MS, zone);
  const wanted = WEEKDAYS.indexOf(name.replace('last ', ''));
  const today = new Date(`${dateText(now, zone)}T00:00:00Z`).getUTCDay();
  const back = (today - wanted + 7) % 7 || (name.startsWith('last ') ? 7 : 0);
  return dateText(now - back * DAY_MS, zone);
}

/** `2026-11-21 17:30:00` or `now-3h` for a time in words; the text itself if it is none. */
export function freeTime(typed: string, zone: Zone, now: number): string {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ');
  const relative = ago(text);
  if (relative !== null) return relative;
  const time = clock(text);
  if (time !== null) {
    const isToday = time <= timeText(now, zone).slice(0, 8);
    return `${dateText(isToday ? now : now - DAY_MS, zone)} ${time}`;
  }
  const [, day, rest] = DAY.exec(text) ?? [];
  if (day === undefined) return typed;
  const date = dayDate(day, zone, now);
  if (rest === undefined) return date;
  const at = clock(rest);
  return at === null ? typed : `${date} ${at}`;
}
