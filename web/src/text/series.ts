// Colours of values, the same for a value wherever it is drawn: in the histogram, in its legend and
// in the statistics. Names of severities have the colours of severities; others take the place that
// their text leads to, or the next one that is free.

/** How many colours there are; as many values are told apart at once. */
export const SERIES_MAX = 6;

const SEVERITIES: Readonly<Record<string, string>> = {
  emerg: '--series-crit',
  alert: '--series-crit',
  crit: '--series-crit',
  err: '--series-err',
  warning: '--series-warning',
  notice: '--series-notice',
  info: '--series-info',
  debug: '--series-debug',
};

/** FNV-1a: any hash does, as long as it is the same tomorrow. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** The colours of some values, by the names of their variables; what is one too many has the last. */
export function seriesColors(field: string, values: readonly string[]): string[] {
  const taken = new Set<number>();
  return values.map((value) => {
    const severity = field === 'severity' ? SEVERITIES[value] : undefined;
    if (severity) return severity;
    if (taken.size === SERIES_MAX) return '--series-rest';
    let slot = hash(value) % SERIES_MAX;
    while (taken.has(slot)) slot = (slot + 1) % SERIES_MAX;
    taken.add(slot);
    return `--series-${slot + 1}`;
  });
}
