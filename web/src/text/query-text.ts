// Edits of a query's text: quoting, and adding a clause that includes or excludes a value.

import { tokenize } from './tokenize';

/** A text as a phrase, in which nothing but the text itself is searched for. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The names of the record's own parts; a field that a record brings along may be called the same. */
const OWN_NAMES =
  /^(?:message|host|program|pid|msgid|facility|severity|priority|tag|source|peer|ip|nvpair)$/i;

const PLAIN_NAME = /^[\p{Alphabetic}_.@][\p{Alphabetic}\p{N}_.@-]*$/u;

/** The name of a field of the records themselves, in front of its value. */
export function fieldPrefix(name: string): string {
  if (PLAIN_NAME.test(name) && !OWN_NAMES.test(name)) return `${name}:`;
  return `nvpair:"${escapeExact(name)}"=`;
}

/** Behind `:=` the wildcards keep their meaning in quotes, so they are escaped as well. */
function escapeExact(text: string): string {
  return text.replace(/["\\*?]/g, '\\$&');
}

function hasTopLevelOr(query: string): boolean {
  let depth = 0;
  for (const token of tokenize(query)) {
    const text = query.slice(token.start, token.end);
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (token.kind === 'operator' && text === 'OR' && depth === 0) return true;
  }
  return false;
}

/**
 * The query narrowed to records that have (or, excluding, do not have) exactly this value.
 *
 * `prefix` is the field with what comes before a value, such as `host:`. The rest of the query is
 * kept. A clause that is there already is not added again; its opposite at the end is replaced.
 */
export function withFilter(query: string, prefix: string, value: string, exclude: boolean): string {
  const include = `${prefix}="${escapeExact(value)}"`;
  const clause = exclude ? `NOT ${include}` : include;
  let rest = query.trim();
  for (const old of [`NOT ${include}`, include]) {
    if (rest === old) rest = '';
    else if (rest.endsWith(` ${old}`)) rest = rest.slice(0, -old.length - 1);
  }
  return withClause(rest, clause);
}

/** The query narrowed by one more clause. */
export function withClause(query: string, clause: string): string {
  if (query === '') return clause;
  return hasTopLevelOr(query) ? `(${query}) ${clause}` : `${query} ${clause}`;
}

/** Most clauses that are worth a question each. */
const CLAUSES_MAX = 8;

/**
 * The parts of a query that must all hold, as they are written; null where there is only one, where
 * it is an alternative, or where there are too many.
 */
export function clauses(query: string): string[] | null {
  if (hasTopLevelOr(query)) return null;
  const found: string[] = [];
  let start: number | null = null;
  let end = 0;
  let depth = 0;
  let negated = false;
  const close = () => {
    if (start !== null) found.push(query.slice(start, end));
    start = null;
  };
  for (const token of tokenize(query)) {
    const text = query.slice(token.start, token.end);
    if (depth === 0 && token.start > end && !negated) close();
    if (depth === 0 && token.kind === 'operator' && text === 'AND') {
      close();
    } else {
      start ??= token.start;
    }
    negated = token.kind === 'operator' && text === 'NOT';
    if (token.kind === 'paren') depth += /[([]/.test(text) ? 1 : -1;
    end = token.end;
  }
  close();
  return found.length > 1 && found.length <= CLAUSES_MAX ? found : null;
}

/** The query without one of its clauses. */
export function withoutClause(all: readonly string[], place: number): string {
  return all.filter((_, index) => index !== place).join(' ');
}
