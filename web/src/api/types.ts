// The shapes of the HTTP API, version 1, as far as the page reads them.

export interface Row {
  id: string;
  logspace: string;
  received: string;
  time: string | null;
  host: string;
  program: string;
  pid: string;
  msgid: string;
  facility: string;
  severity: string;
  message: string;
  source: string;
  peer: string | null;
  tags: string[];
  fields: Record<string, string | string[]>;
  /** The bytes as they arrived, where asked for and UTF-8. */
  raw?: string;
  /** The bytes as they arrived, where asked for and not UTF-8. */
  raw_base64?: string;
  /** Which parts stand in those bytes, and where, in bytes. */
  places?: readonly { part: string; start: number; end: number }[];
}

/** What a source would make of what arrives. */
export interface Explained {
  messages: readonly ExplainedMessage[];
  more: boolean;
}

export interface ExplainedMessage {
  framing: { by: string; count: string; terminator: string; compressed: boolean };
  header: 'rfc5424' | 'rfc3164' | 'none';
  decisions: readonly { reason: string }[];
  row: Row;
  time: { from: 'stamp' | 'receipt'; stamp: string | null; year_from: string | null; zone_from: string | null; source_zone: string };
  admitted: boolean;
  routes: readonly {
    name: string;
    verdict: 'takes' | 'other_source' | 'no_match' | 'rejects' | 'drops' | 'not_reached';
    logspace: string;
    steps: readonly ExplainedStep[];
  }[];
  destinations: readonly { logspace: string; tags: readonly string[] }[];
}

/** What a step of a route did with a message. */
export interface ExplainedStep {
  place: string;
  kind: string;
  verdict: 'done' | 'skipped' | 'rejects' | 'failed' | 'drops';
  reason: string;
  changes: readonly { name: string; value: string }[];
}

/** What is wrong with a configuration file, and what would be in force. */
export interface CheckAnswer {
  valid: boolean;
  problems: readonly {
    severity: 'error' | 'warning';
    line: number;
    column: number;
    width: number;
    text: string;
    message: string;
    hint: string | null;
  }[];
  effective: string | null;
}

export interface Sender {
  peer: string;
  received: number;
  dropped: number;
  bytes: number;
  first: string;
  last: string;
  level: 'usual' | 'low' | 'high';
}

/** What an answer cost; comes with every answer. */
export interface Cost {
  complete: boolean;
  reason: string | null;
  elapsed_ms: number;
  segments: { total: number; pruned: number };
  bytes_read: number;
}

export interface SearchEnd extends Cost {
  cursor: string | null;
  rows: number;
}

export interface Bar {
  start: string;
  count: number;
}

export interface HistogramAnswer extends Cost {
  from: string | null;
  to: string | null;
  total: number;
  bars: Bar[];
  /** Whether this is not the answer yet, but what has been counted of it. */
  counting?: boolean;
}

export interface CountAnswer extends Cost {
  count: number;
}

export interface ValueCount {
  value: string;
  count: number;
}

export interface StatsAnswer extends Cost {
  by: string;
  /** The most frequent first. */
  values: ValueCount[];
  distinct: number;
  /** Records that match, with or without the field. */
  total: number;
}

export interface FieldsAnswer extends Cost {
  fields: { name: string; count: number }[];
}

/** What the values of a column are; a time is RFC 3339. */
export type ColumnKind = 'text' | 'number' | 'time';

export interface Column {
  name: string;
  kind: ColumnKind;
}

export type Cell = string | number | null;

/** A table: what a pipe makes of the records that match. */
export interface QueryAnswer extends Cost {
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  /** Whether the limit cut the table. */
  has_more: boolean;
  /** Records that match; null where they were not all looked for. */
  matched: number | null;
}

/** What a saved search shows, by the parameters of the page's address. */
export interface SavedView {
  q: string;
  from: string;
  to: string;
  time: 'event' | '';
  logspace: string;
  /** Names with commas between; empty for the usual ones. */
  cols: string;
  split: string;
}

export interface SavedSearch {
  name: string;
  saved: string;
  view: SavedView;
}

/** Something that can stand at a place of a query. */
export interface Choice {
  text: string;
  kind: 'field' | 'value' | 'keyword' | 'command' | 'column';
  count: number | null;
  usage: string | null;
}

export interface CompleteAnswer extends Span, Cost {
  choices: Choice[];
}

/** A span of the query's text, in UTF-8 bytes, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface Diagnostic extends Span {
  message: string;
  hint: string | null;
  severity: 'error' | 'warning';
}

export interface ParseAnswer {
  valid: boolean;
  canonical: string;
  diagnostics: Diagnostic[];
}

export interface SourceStatus {
  name: string;
  received: number;
  stored: number;
  /** By reason. */
  dropped: Record<string, number>;
  in_flight: number;
  /** How long the oldest of these has been on its way. */
  lag_seconds?: number;
  /** Memory of datagrams that wait in the kernel to be read. */
  kernel_queue_bytes?: number;
  bytes: number;
  connections: number;
  connections_refused: number;
  connections_denied?: number;
  /** How many messages came in the last period. */
  level?: 'usual' | 'low' | 'high';
  senders?: number;
  senders_low?: number;
  senders_high?: number;
  /** Messages that did not come, by the numbers of those that did. */
  missing?: number;
}

export interface LogspaceStatus {
  name: string;
  records: number;
  segments: number;
  /** On disk, the journal not counted. */
  bytes: number;
  /** How long records are kept, and how many bytes of them; without bound where it is missing. */
  keep_seconds?: number | null;
  keep_bytes?: number | null;
  sealed?: { records: number; raw_bytes: number; data_bytes: number; index_bytes: number };
  expired?: number;
  archived_segments?: number;
  archived_bytes?: number;
  archive_failure?: string | null;
  compaction_failure?: string | null;
  first: string | null;
  last: string | null;
  damages: string[];
}

export interface StorageStatus {
  state: string;
  reason: string | null;
  data_dir: string;
  free_bytes: number | null;
  is_low?: boolean;
  journal_bytes: number;
  unsynced_bytes?: number;
}

export interface Status {
  version: string;
  uptime_seconds: number;
  listeners: { source: string; transport: string; address: string }[];
  sources: SourceStatus[];
  logspaces: LogspaceStatus[];
  /** Searches and exports that are being answered. */
  searches: { query: string; seconds: number; records: number; mark: string }[];
  storage: StorageStatus;
}

/** A line of the tail. */
export type TailLine =
  | { row: Row }
  | { heartbeat: { time: string } }
  | { dropped: { count: number } };
