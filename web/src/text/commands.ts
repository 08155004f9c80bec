// The search on the screen as commands for a terminal.

import { cutQuestion } from './pipe';

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_./:@%+=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

type Scope = Record<string, string>;

function given(scope: Scope): [string, string][] {
  return Object.entries(scope).filter(([, value]) => value !== '');
}

/** What the API and the command line call a question: one with a pipe has a table for an answer. */
function verb({ q = '' }: Scope): string {
  return cutQuestion(q).pipe === '' ? 'search' : 'query';
}

/** `curl -sG ... --data-urlencode q=...`: the same question to the API. */
export function curlCommand(origin: string, scope: Scope): string {
  const words = given(scope).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`);
  return ['curl -sG', shellWord(`${origin}/api/v1/${verb(scope)}`), ...words].join(' ');
}

/** `logwood search ... --from now-1h`. */
export function searchCommand(origin: string, scope: Scope): string {
  const { q = '', ...rest } = scope;
  const flags = given(rest).map(([name, value]) => `--${name} ${shellWord(value)}`);
  return [`logwood ${verb(scope)}`, shellWord(q), ...flags, '--url', shellWord(origin)].join(' ');
}
