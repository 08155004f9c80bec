// Severities: a letter for the narrow column, never colour alone.

const LETTERS: Readonly<Record<string, string>> = {
  emerg: 'M',
  alert: 'A',
  crit: 'C',
  err: 'E',
  warning: 'W',
  notice: 'N',
  info: 'I',
  debug: 'D',
};

/** The letter of a severity; `?` for one that is not known. */
export function severityLetter(severity: string): string {
  return LETTERS[severity] ?? '?';
}

/** The class of a severity's colour. */
export function severityClass(severity: string): string {
  return severity in LETTERS ? `severity-${severity}` : 'severity-unknown';
}

/** The place of a severity, the worst first; what is not known comes last. */
export function severityRank(severity: string): number {
  const rank = Object.keys(LETTERS).indexOf(severity);
  return rank < 0 ? Infinity : rank;
}

/** Whether a severity is error or worse: what a summary of the tail counts. */
export function isError(severity: string): boolean {
  return ['emerg', 'alert', 'crit', 'err'].includes(severity);
}
