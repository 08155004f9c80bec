// The surroundings of a record: what its program, its host, or all had to say before and after it.
//
// No bound in time: the list grows both ways as far as there are records.

import type { Params } from '../api/client';
import type { Row } from '../api/types';
import { withFilter } from '../text/query-text';
import type { Around, View } from './view';

/** The parameters that say which records are around a record. */
export function contextScope(row: Row, around: Around, view: View): Params {
  if (around === 'all') return { q: '', logspace: view.logspace };
  let q = '';
  if (row.host !== '') q = withFilter(q, 'host:', row.host, false);
  if (around === 'program' && row.program !== '') q = withFilter(q, 'program:', row.program, false);
  return { q, logspace: row.logspace };
}
