// What the page shows, as its URL. The parameters are those of the API, so that a URL of the page
// and a call of the API differ in the path only; `split`, `tz`, `cols`, `around`
// and `at` are the page's own.

import type { Params } from '../api/client';
import type { Zone } from '../text/clock';
import { cutQuestion } from '../text/pipe';

/** The time of the event, as its sender says; empty for that of receipt. */
export type TimeKind = 'event' | '';

export interface View {
  q: string;
  from: string;
  to: string;
  /** Which time of a record counts: that of its sender, or that of receipt. */
  time: TimeKind;
  /** Names with commas between; empty means all. */
  logspace: string;
  /** Empty means as last chosen in this browser. */
  tz: Zone | '';
  /** Columns between the severity and the message. */
  cols: readonly string[];
  /** The field by which the histogram is split; empty for none. */
  split: string;
  /** With `at`: what is shown around that record in place of what matches; empty for nothing. */
  around: Around | '';
  /** The id of the record whose details are open. */
  at: string;
}

/** The surroundings of a record: of its host and program, of its host, or of all. */
export type Around = 'program' | 'host' | 'all';

export const AROUNDS: readonly Around[] = ['program', 'host', 'all'];

export const DEFAULT_COLUMNS: readonly string[] = ['host', 'program'];

/** Most columns a URL can ask for; a row must stay cheap to draw. */
const COLUMNS_MAX = 12;

const TEXT_PARAMETERS = ['q', 'from', 'to', 'logspace', 'split', 'at'] as const;

function readColumns(text: string | null): readonly string[] {
  if (text === null) return DEFAULT_COLUMNS;
  const names = text.split(',').filter((name) => name !== '');
  return [...new Set(names)].slice(0, COLUMNS_MAX);
}

/** The view of a URL's query string; what it does not say has its default. */
export function parseView(search: string): View {
  const params = new URLSearchParams(search);
  const tz = params.get('tz');
  const view: View = {
    q: '',
    from: '',
    to: '',
    time: params.get('time') === 'event' ? 'event' : '',
    logspace: '',
    tz: tz === 'utc' || tz === 'local' ? tz : '',
    cols: readColumns(params.get('cols')),
    split: '',
    around: AROUNDS.find((around) => around === params.get('around')) ?? '',
    at: '',
  };
  for (const name of TEXT_PARAMETERS) view[name] = params.get(name) ?? '';
  return view;
}

/** The query string of a view, with its `?`; empty for the default view. */
export function formatView(view: View): string {
  const params = new URLSearchParams();
  for (const name of ['q', 'from', 'to', 'time', 'logspace', 'split', 'tz'] as const) {
    if (view[name] !== '') params.set(name, view[name]);
  }
  const columns = view.cols.join(',');
  if (columns !== DEFAULT_COLUMNS.join(',')) params.set('cols', columns);
  if (view.around !== '' && view.at !== '') params.set('around', view.around);
  if (view.at !== '') params.set('at', view.at);
  const text = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}

/** The parameters that say which records a view is about. */
export function scopeOf(view: View): Params {
  return { ...questionOf(view), q: cutQuestion(view.q).query };
}

/** The parameters of what a view asks, the pipe of its question included. */
export function questionOf(view: View): Pick<View, 'q' | 'from' | 'to' | 'time' | 'logspace'> {
  return { q: view.q, from: view.from, to: view.to, time: view.time, logspace: view.logspace };
}

/** The pipe whose table a view shows in place of records; empty for none. */
export function pipeOf(view: View): string {
  return view.around === '' ? cutQuestion(view.q).pipe : '';
}

/** The address of one record, as the page shows it. */
export function permalink(id: string): string {
  return `/search?at=${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}
