// The tail against connections that end, fail, fall silent and refuse.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { TailStream, type TailEvents } from '../src/api/tail';

const line = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`);

/** The connections of a test: what was asked, and the way to answer. */
class Server {
  readonly asked: string[] = [];
  readonly streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  refuse: Response | Error | null = null;

  readonly fetch = (url: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    this.asked.push(url);
    if (this.refuse instanceof Error) return Promise.reject(this.refuse);
    if (this.refuse) return Promise.resolve(this.refuse);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams.push(controller);
        signal.addEventListener('abort', () =>
          controller.error(new DOMException('aborted', 'AbortError')),
        );
      },
    });
    return Promise.resolve(new Response(body));
  };
}

describe('a tail', () => {
  let server: Server;
  let seen: string[];
  let stream: TailStream;

  const events: TailEvents = {
    onRows: (rows) => seen.push(...rows.map((row) => row.id)),
    onDropped: (count) => seen.push(`dropped ${count}`),
    onState: (state) => seen.push(state),
    onProblem: (problem) => seen.push(problem.message),
  };

  beforeEach(() => {
    vi.useFakeTimers();
    server = new Server();
    seen = [];
    vi.stubGlobal('fetch', server.fetch);
    vi.stubGlobal('location', { host: 'x' });
  });

  afterEach(() => {
    stream.stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('goes on from the last id after the connection ends', async () => {
    stream = new TailStream({ q: 'a' }, 'main:1', events);
    await vi.advanceTimersByTimeAsync(0);
    server.streams[0]?.enqueue(line({ row: { id: 'main:2' } }));
    server.streams[0]?.enqueue(line({ dropped: { count: 3 } }));
    server.streams[0]?.enqueue(line({ row: { id: 'main:6' } }));
    await vi.advanceTimersByTimeAsync(20);
    server.streams[0]?.close();
    await vi.advanceTimersByTimeAsync(600);
    expect(server.asked).toEqual([
      '/api/v1/tail?q=a&after=main%3A1',
      '/api/v1/tail?q=a&after=main%3A6',
    ]);
    expect(seen).toEqual([
      'connecting', 'live', 'main:2', 'dropped 3', 'main:6', 'reconnecting', 'live',
    ]);
  });

  it('waits longer between attempts, and tries for ever', async () => {
    server.refuse = new TypeError('refused');
    stream = new TailStream({}, null, events);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.asked.length).toBeGreaterThan(8);
    expect(server.asked.length).toBeLessThan(14);
    server.refuse = null;
    await vi.advanceTimersByTimeAsync(8_000);
    expect(seen.at(-1)).toBe('live');
  });

  it('takes silence for a lost connection, but not heartbeats', async () => {
    stream = new TailStream({}, null, events);
    for (let second = 0; second < 60; second += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      server.streams[0]?.enqueue(line({ heartbeat: { time: '' } }));
    }
    expect(server.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(17_000);
    expect(server.asked).toHaveLength(2);
  });

  it('ends where the request itself is wrong', async () => {
    const document = { code: 'query-invalid', detail: 'this quote is never closed' };
    server.refuse = new Response(JSON.stringify(document), { status: 400 });
    stream = new TailStream({}, null, events);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.asked).toHaveLength(1);
    expect(seen).toEqual(['connecting', 'this quote is never closed']);
  });

  it('is over when it is stopped', async () => {
    stream = new TailStream({}, null, events);
    await vi.advanceTimersByTimeAsync(0);
    stream.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.asked).toHaveLength(1);
    expect(seen).toEqual(['connecting', 'live']);
  });
});
