// Time stamps with nanoseconds, as the API writes them.
//
// A `Date` keeps milliseconds only, and cursors and permalinks need every digit, so a stamp is a
// bigint: nanoseconds since 1970, UTC.

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

const NANOS_PER_MS = 1_000_000n;

/** The nanoseconds of an RFC 3339 text, or null if it is none. */
export function parseStamp(text: string): bigint | null {
  const match = RFC_3339.exec(text);
  if (!match) return null;
  const [, date, time, fraction = '', offset = 'Z'] = match;
  const ms = Date.parse(`${date}T${time}${offset.toUpperCase()}`);
  if (Number.isNaN(ms)) return null;
  return BigInt(ms) * NANOS_PER_MS + BigInt(fraction.padEnd(9, '0'));
}

/** The stamp in UTC with nine digits, as the API writes it. */
export function formatStamp(nanos: bigint): string {
  const ms = stampMs(nanos);
  const below = nanos - BigInt(Math.floor(ms / 1000)) * 1_000_000_000n;
  return `${new Date(ms).toISOString().slice(0, 19)}.${below.toString().padStart(9, '0')}Z`;
}

/** The whole milliseconds of a stamp, rounded down. */
export function stampMs(nanos: bigint): number {
  const quotient = nanos / NANOS_PER_MS;
  return Number(nanos < 0n && quotient * NANOS_PER_MS !== nanos ? quotient - 1n : quotient);
}

/** The milliseconds of an RFC 3339 text; 0 if it is none, because a row must still be drawn. */
export function textMs(text: string): number {
  const nanos = parseStamp(text);
  return nanos === null ? 0 : stampMs(nanos);
}

/** Where the bar that starts there ends, of so many equal bars of a range. */
export function barEnd(start: string, range: { from: string; to: string }, bars: number): string {
  const [from, to] = [parseStamp(range.from), parseStamp(range.to)];
  return from === null || to === null ? start : shiftStamp(start, (to - from) / BigInt(bars));
}

/** A stamp moved by some nanoseconds, as text; the text itself if it is no stamp. */
export function shiftStamp(text: string, nanos: bigint): string {
  const parsed = parseStamp(text);
  return parsed === null ? text : formatStamp(parsed + nanos);
}

/** The time of a row that counts: that of its sender, or that of receipt. */
export function stampOf(row: { received: string; time: string | null }, time: unknown): string {
  return (time === 'event' ? row.time : null) ?? row.received;
}
