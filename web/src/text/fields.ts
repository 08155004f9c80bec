// The names of fields: those that every record can have, and the words that filter by them.

import { fieldPrefix } from './query-text';

/** The parts that statistics know, the most useful first. */
export const BUILT_IN_FIELDS: readonly string[] = [
  'severity',
  'host',
  'program',
  'facility',
  'source',
  'peer',
  'tag',
  'pid',
  'msgid',
  'logspace',
];

/**
 * What stands before a value of the field in a query; null for the logspace, which is a parameter of
 * its own.
 */
export function filterPrefix(name: string): string | null {
  if (name === 'logspace') return null;
  // So a table names a field of records that has the name of something else.
  if (name.startsWith('nvpair:')) return `${name}=`;
  return BUILT_IN_FIELDS.includes(name) ? `${name}:` : fieldPrefix(name);
}
