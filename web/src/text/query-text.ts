// Edits of a query's text: quoting, and adding a clause that includes or excludes a value.

import { tokenize } from './tokenize';

/** A value as a phrase of the query language. */
export function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function hasTopLevelOr(query: string): boolean {
  let depth = 0;
  for (const token of tokenize(query)) {
    const text = query.slice(token.start, token.end);
    if (token.kind === 'paren') depth += text === '(' ? 1 : -1;
    if (token.kind === 'operator' && text === 'OR' && depth === 0) return true;
  }
  return false;
}

/**
 * The query narrowed to records that have (or, excluding, do not have) exactly this value.
 *
 * The rest of the query is kept. A clause that is there already is not added again.
 */
export function withFilter(query: string, field: string, value: string, exclude: boolean): string {
  const clause = `${exclude ? 'NOT ' : ''}${field}:=${quote(value)}`;
  const rest = query.trim();
  if (rest === '') return clause;
  if (rest === clause || rest.endsWith(` ${clause}`)) return rest;
  return hasTopLevelOr(rest) ? `(${rest}) ${clause}` : `${rest} ${clause}`;
}
