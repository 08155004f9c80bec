import { describe, expect, it } from 'vitest';

import { LineSplitter, readNdjson } from '../src/api/ndjson';

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function readAll(chunks: Uint8Array[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const some of readNdjson(streamOf(chunks))) values.push(...some);
  return values;
}

describe('NDJSON', () => {
  const text = '{"row":{"message":"h\u00e9 \u{1f600}\\n"}}\n\n{"end":{"complete":true}}\n';
  const bytes = new TextEncoder().encode(text);
  const expected = [{ row: { message: 'h\u00e9 \u{1f600}\n' } }, { end: { complete: true } }];

  it('is the same however the stream is cut', async () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await readAll([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(expected);
    }
    expect(await readAll([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('has a last line without a line end', async () => {
    expect(await readAll([bytes.slice(0, -1)])).toEqual(expected);
  });

  it('says what is no JSON', async () => {
    await expect(readAll([new TextEncoder().encode('{"row":\n')])).rejects.toThrow('not JSON');
  });

  it('closes the stream when the reader leaves early', async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('{}\n')),
      cancel: () => void (cancelled = true),
    });
    for await (const _ of readNdjson(stream)) break;
    expect(cancelled).toBe(true);
  });
});

describe('a line splitter', () => {
  it('keeps what has no line end yet', () => {
    const splitter = new LineSplitter();
    expect(splitter.push('a\nb')).toEqual(['a']);
    expect(splitter.push('c')).toEqual([]);
    expect(splitter.push('d\n\ne\nf')).toEqual(['bcd', 'e']);
    expect(splitter.finish()).toBe('f');
  });
});
