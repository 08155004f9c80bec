// Calls of the HTTP API. Parameters keep their names from the page's URL to the server.

import { readNdjson } from './ndjson';
import { isAbort, Problem, problemOf } from './problem';
import type {
  CheckAnswer,
  CompleteAnswer,
  CountAnswer,
  Explained,
  FieldsAnswer,
  HistogramAnswer,
  ParseAnswer,
  QueryAnswer,
  Row,
  SavedSearch,
  SavedView,
  SearchEnd,
  Sender,
  StatsAnswer,
  Status,
} from './types';

export type Params = Record<string, string | number | null | undefined>;

/** The address of a call; parameters that are empty are left out. */
export function apiUrl(path: string, params: Params = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  const text = query.toString();
  return `/api/v1/${path}${text === '' ? '' : `?${text}`}`;
}

/** The answer to a call; throws a `Problem` if it is not a success. */
export async function call(path: string, params: Params, signal: AbortSignal): Promise<Response> {
  const response = await fetch(apiUrl(path, params), { signal });
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function callJson<T>(path: string, params: Params, signal: AbortSignal): Promise<T> {
  return jsonOf<T>(await call(path, params, signal));
}

/** The answer to a text that is sent. */
async function sendText<T>(path: string, params: Params, body: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(apiUrl(path, params), { method: 'POST', body, signal });
  if (!response.ok) throw await problemOf(response);
  return jsonOf<T>(response);
}

async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Problem('broken-answer', 'the answer is not JSON', null);
  }
}

/** `onPart` is called with what has been counted, now and then, where that takes longer. */
export async function histogram(
  params: Params,
  signal: AbortSignal,
  onPart: (answer: HistogramAnswer) => void = () => undefined,
): Promise<HistogramAnswer> {
  const response = await call('histogram', { ...params, progress: 'true' }, signal);
  let last: HistogramAnswer | undefined;
  for await (const lines of response.body ? readNdjson<HistogramAnswer>(response.body) : []) {
    last = lines.at(-1);
    if (last && !signal.aborted) onPart(last);
  }
  if (!last || last.counting) throw new Problem('broken-answer', 'the answer broke off', null);
  return last;
}

export function count(params: Params, signal: AbortSignal): Promise<CountAnswer> {
  return callJson('count', params, signal);
}

/** The most frequent values of the field `by`. */
export function stats(params: Params, signal: AbortSignal): Promise<StatsAnswer> {
  return callJson('stats', params, signal);
}

/** Which fields the records that match have; reads every one of them. */
export function fields(params: Params, signal: AbortSignal): Promise<FieldsAnswer> {
  return callJson('fields', params, signal);
}

/** What the pipe of `q` makes of the records that match. */
export function query(params: Params, signal: AbortSignal): Promise<QueryAnswer> {
  return callJson('query', params, signal);
}

export function parseQuery(q: string, signal: AbortSignal): Promise<ParseAnswer> {
  return callJson('query/parse', { q, pipe: 'true' }, signal);
}

/** What can stand at the byte `at` of `q`. */
export function complete(params: Params, signal: AbortSignal): Promise<CompleteAnswer> {
  return callJson('complete', params, signal);
}

export function status(signal: AbortSignal): Promise<Status> {
  return callJson('status', {}, signal);
}

/** The searches that people saved on the server, by name. */
export async function savedSearches(): Promise<SavedSearch[]> {
  const { signal } = new AbortController();
  return (await callJson<{ searches: SavedSearch[] }>('searches', {}, signal)).searches;
}

/** Saves a search, in the place of the one that has the name. */
export function saveSearch(name: string, view: SavedView): Promise<void> {
  return change('PUT', name, JSON.stringify(view));
}

export function deleteSearch(name: string): Promise<void> {
  return change('DELETE', name, null);
}

async function change(method: string, name: string, body: string | null): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(apiUrl(`searches/${encodeURIComponent(name)}`), { method, headers, body });
  if (!response.ok) throw await problemOf(response);
}

/** What a source would make of what arrives; nothing is stored. */
export function explain(input: string, source: string, signal: AbortSignal): Promise<Explained> {
  return sendText('explain', { source }, input, signal);
}

/** The running configuration, as a file. */
export async function config(signal: AbortSignal): Promise<string> {
  return (await callJson<{ effective: string }>('config', {}, signal)).effective;
}

export function checkConfig(text: string, signal: AbortSignal): Promise<CheckAnswer> {
  return sendText('config/check', {}, text, signal);
}

/** Who sends to a source. */
export async function senders(source: string, signal: AbortSignal): Promise<Sender[]> {
  const path = `sources/${encodeURIComponent(source)}/senders`;
  return (await callJson<{ senders: Sender[] }>(path, {}, signal)).senders;
}

/** One record with its raw bytes. */
export async function record(id: string, signal: AbortSignal): Promise<Row> {
  const path = `records/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
  return (await callJson<{ row: Row }>(path, {}, signal)).row;
}

type SearchLine = { row: Row } | { end: SearchEnd };

/**
 * A page of rows. `onRows` gets them as they arrive; the end line says whether that was all.
 * An answer without an end line was cut off, which is a problem and not an end.
 */
export async function search(
  params: Params,
  signal: AbortSignal,
  onRows: (rows: Row[]) => void,
): Promise<SearchEnd> {
  const response = await call('search', params, signal);
  if (!response.body) throw new Problem('broken-answer', 'the answer has no body', null);
  let end: SearchEnd | undefined;
  for await (const lines of readNdjson<SearchLine>(response.body)) {
    const rows: Row[] = [];
    for (const line of lines) {
      if ('row' in line) rows.push(line.row);
      if ('end' in line) end = line.end;
    }
    if (rows.length > 0) onRows(rows);
  }
  if (!end) {
    throw new Problem('broken-answer', 'the answer was cut off', 'Rows shown are not all.');
  }
  return end;
}
