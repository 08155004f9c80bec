// How long the disk lasts, if records go on coming as they did.

const SECONDS_PER_DAY = 86_400;

export interface Pace {
  /** Bytes that can still be written. */
  freeBytes: number;
  /** Bytes on disk of so many records. */
  bytes: number;
  records: number;
  /** Records that came in a time, in seconds. */
  recent: number;
  seconds: number;
}

/** Bytes that a day adds; null where nothing is known of that. */
export function bytesPerDay({ bytes, records, recent, seconds }: Omit<Pace, 'freeBytes'>): number | null {
  if (records <= 0 || seconds <= 0) return null;
  return (bytes / records) * (recent / seconds) * SECONDS_PER_DAY;
}

/** Days until the disk is full, if nothing is deleted; null where that cannot be said. */
export function daysLeft(pace: Pace): number | null {
  const perDay = bytesPerDay(pace);
  return perDay === null || perDay <= 0 ? null : pace.freeBytes / perDay;
}

/** `20 minutes`, `5 hours`, `12 days`, `3 years`: one figure is enough for what is a guess. */
export function daysText(days: number): string {
  const [number, unit] =
    days < 2 / 24 ? [days * 24 * 60, 'minute'] : days < 2 ? [days * 24, 'hour'] : days < 730 ? [days, 'day'] : [days / 365, 'year'];
  const whole = Math.max(Math.floor(number), 0);
  if (unit === 'year' && whole >= 100) return 'more than 100 years';
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}

/** `now`, `40 s ago`, `3 h ago`, `2 days ago`. */
export function agoText(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 2) return 'now';
  if (seconds < 90) return `${Math.floor(seconds)} s ago`;
  if (seconds < 90 * 60) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 36 * 3_600) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / SECONDS_PER_DAY)} days ago`;
}

/** What a logspace keeps and what comes: bounds are missing where there are none. */
export interface Kept {
  /** Bytes on disk now. */
  bytes: number;
  /** Bytes that a day adds. */
  perDay: number;
  keepSeconds: number | null;
  keepBytes: number | null;
}

/** Bytes that it takes in the end, at this pace; null where it grows for ever. */
export function bytesInTheEnd({ bytes, perDay, keepSeconds, keepBytes }: Kept): number | null {
  if (perDay <= 0) return bytes;
  const byAge = keepSeconds === null ? Infinity : (perDay * keepSeconds) / SECONDS_PER_DAY;
  const least = Math.min(byAge, keepBytes ?? Infinity);
  return least === Infinity ? null : least;
}

/** Days that a logspace reaches back in the end, at this pace; null where it reaches back for ever. */
export function daysKept({ perDay, keepSeconds, keepBytes }: Kept): number | null {
  const byAge = keepSeconds === null ? Infinity : keepSeconds / SECONDS_PER_DAY;
  const bySize = keepBytes === null || perDay <= 0 ? Infinity : keepBytes / perDay;
  const least = Math.min(byAge, bySize);
  return least === Infinity ? null : least;
}
