// What the details of a record list: every field, in a fixed order, and the word that filters by it.

import type { Row } from '../api/types';
import { isoText, type Zone } from './clock';
import { originOf, placeOf, type Place } from './places';
import { fieldPrefix } from './query-text';

export interface DetailField {
  name: string;
  value: string;
  /** What stands before a value of it in a query; null where there is nothing to filter by. */
  filter: string | null;
  /** Whether it can be a column: neither always shown nor never useful as one. */
  column: boolean;
  /** Where it stands in the raw text; null where it does not. */
  place: Place | null;
  /** Where it comes from, in words. */
  origin: string;
}

const BUILT_IN = ['host', 'program', 'pid', 'msgid', 'facility', 'severity', 'source'] as const;

/** The fields of a record that have a value. */
export function detailFields(row: Row, zone: Zone): DetailField[] {
  const plain = (name: string, value: string) => ({ name, value, filter: null, column: false });
  const fields: Omit<DetailField, 'place' | 'origin'>[] = [
    plain('received', isoText(row.received, zone)),
    plain('time', row.time === null ? '' : isoText(row.time, zone)),
    { name: 'logspace', value: row.logspace, filter: null, column: true },
  ];
  for (const name of BUILT_IN) {
    fields.push({ name, value: row[name], filter: `${name}:`, column: name !== 'severity' });
  }
  fields.push({ name: 'peer', value: row.peer ?? '', filter: 'peer:', column: true });
  for (const tag of row.tags) fields.push({ name: 'tag', value: tag, filter: 'tag:', column: false });
  for (const [name, values] of Object.entries(row.fields)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      fields.push({ name, value, filter: fieldPrefix(name), column: true });
    }
  }
  const seen = new Map<string, number>();
  return fields
    .filter((field) => field.value !== '')
    .map((field) => {
      const nth = seen.get(field.name) ?? 0;
      seen.set(field.name, nth + 1);
      const place = placeOf(row, field.name, nth);
      return { ...field, place, origin: originOf(row, field.name, place) };
    });
}
