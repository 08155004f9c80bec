// What goes wrong between the page and the server, as one error with words for the reader.

import type { Span } from './types';

interface ProblemDocument {
  title?: string;
  code?: string;
  detail?: string;
  hint?: string | null;
  spans?: Span[];
}

export class Problem extends Error {
  /** The server's word for the kind of problem, `network` or `broken-answer`. */
  readonly code: string;
  readonly hint: string | null;
  /** Where in the query, in UTF-8 bytes. */
  readonly spans: readonly Span[];
  readonly status: number;

  constructor(code: string, detail: string, hint: string | null, spans: Span[] = [], status = 0) {
    super(detail);
    this.code = code;
    this.hint = hint;
    this.spans = spans;
    this.status = status;
  }

  /** Whether the query's text is at fault. */
  get isQuery(): boolean {
    return this.code.startsWith('query');
  }
}

/** The problem that an answer with an error status tells. */
export async function problemOf(response: Response): Promise<Problem> {
  const document = (await response.json().catch(() => ({}))) as ProblemDocument;
  const detail = document.detail ?? document.title ?? `the server answered ${response.status}`;
  return new Problem(
    document.code ?? 'unknown',
    detail,
    document.hint ?? null,
    document.spans ?? [],
    response.status,
  );
}

/** The same error if it is a problem already; otherwise the network's. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(
    'network',
    'the server does not answer',
    `Is \`logwood serve\` running at ${location.host}? The page tries again when you press Run.`,
  );
}

/** Whether an error only says that the page itself gave up the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
