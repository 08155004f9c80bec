// What is kept of a row while it is in the list, so that 10,000 of them stay small.

import type { Row } from '../api/types';

/** Longest message kept, in UTF-16 code units; the details fetch the whole record. */
const MESSAGE_LENGTH_MAX = 4_096;

/** Most text of parsed fields kept for the columns of a row. */
const FIELDS_LENGTH_MAX = 2_048;

/** The start of a long text, copied: a slice would keep the whole text in memory. */
function head(text: string, length: number): string {
  if (text.length <= length) return text;
  return JSON.parse(JSON.stringify(`${text.slice(0, length)}\u2026`)) as string;
}

function slimFields(fields: Row['fields']): Row['fields'] {
  const kept: Row['fields'] = {};
  let room = FIELDS_LENGTH_MAX;
  for (const [name, value] of Object.entries(fields)) {
    const text = head(Array.isArray(value) ? value.join(', ') : value, Math.max(room, 1));
    room -= name.length + text.length;
    if (room < 0) break;
    kept[name] = text;
  }
  return kept;
}

/** The row, cut to what the list shows. */
export function slim(row: Row): Row {
  const { raw: _raw, raw_base64: _base64, ...shown } = row;
  return {
    ...shown,
    message: head(row.message, MESSAGE_LENGTH_MAX),
    fields: slimFields(row.fields),
  };
}
