// Numbers as people read them.

const grouped = new Intl.NumberFormat('en-US');

/** `1,204,331`. */
export function countText(count: number): string {
  return grouped.format(count);
}

/** `1.2 M`: two significant digits where room is short. */
export function shortCount(count: number): string {
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (count >= size) {
      const scaled = count / size;
      return `${scaled >= 99.95 ? Math.round(scaled) : Number(scaled.toPrecision(2))}\u202f${unit}`;
    }
  }
  return String(Math.round(count));
}

/** `1 record`, `2 records`. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2 ms`, `180 ms`, `1.23 s`. */
export function elapsedText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(2)} s`;
}

/** `87 % pruned`: how much of the store needed no look; empty if there was nothing to prune. */
export function prunedText(segments: { total: number; pruned: number }): string {
  if (segments.total === 0) return '';
  return `${Math.floor((100 * segments.pruned) / segments.total)} % pruned`;
}

/** `12.3 %`; what is not nothing is never shown as nothing. */
export function shareText(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent.toFixed(1)} %`;
}

/** `12.3 MiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let scaled = bytes;
  let unit = 0;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? scaled : scaled.toFixed(1)} ${units[unit]}`;
}
