// Reads newline-delimited JSON from a stream, whatever the chunks are.

import { Problem } from './problem';

/** Longest line taken, in UTF-16 code units: the longest message is 16 MiB, escapes make it longer. */
const LINE_LENGTH_MAX = 128 * 1024 * 1024;

/** Cuts chunks of text into lines; keeps what has no line end yet. */
export class LineSplitter {
  #rest: string[] = [];
  #restLength = 0;

  /** The lines that this chunk completes. */
  push(chunk: string): string[] {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = this.#rest.join('') + (lines[0] ?? '');
      this.#rest = [];
      this.#restLength = 0;
    }
    this.#rest.push(last);
    this.#restLength += last.length;
    if (this.#restLength > LINE_LENGTH_MAX) {
      throw new Problem('broken-answer', 'a line of the answer is too long', null);
    }
    return lines.filter((line) => line !== '');
  }

  /** What is left at the end of the stream. */
  finish(): string {
    const rest = this.#rest.join('');
    this.#rest = [];
    this.#restLength = 0;
    return rest;
  }
}

function parseLine<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new Problem('broken-answer', 'a line of the answer is not JSON', null);
  }
}

/** The values of a stream, as many at once as each chunk completes. */
export async function* readNdjson<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T[]> {
  const decoder = new TextDecoder();
  const splitter = new LineSplitter();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = splitter.push(decoder.decode(value, { stream: true }));
      if (lines.length > 0) yield lines.map((line) => parseLine<T>(line));
    }
    const rest = splitter.finish();
    if (rest !== '') yield [parseLine<T>(rest)];
  } finally {
    // A reader that leaves early closes the connection, which cancels the work on the server.
    await reader.cancel().catch(() => undefined);
  }
}
