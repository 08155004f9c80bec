import { describe, expect, it } from 'vitest';

import { apiUrl } from '../src/api/client';
import { changesOf, savedView } from '../src/state/saved.svelte';
import { formatView, parseView, permalink, scopeOf } from '../src/state/view';

describe('a view', () => {
  it.each([
    '',
    '?q=host%3Aweb*+%22a+%26+b%22&from=now-1h&to=now',
    '?from=2026-11-21T18:47:27.000000001Z&logspace=main,audit&tz=utc',
    '?q=%C3%A9+%F0%9F%98%80&cols=host,pid,meta.sequenceId&at=main:42',
    '?cols=',
    '?q=a&time=event',
    '?q=a&split=severity&by=host&around=program&at=main:42',
  ])('comes back from its URL: %s', (search) => {
    const view = parseView(search);
    expect(parseView(formatView(view))).toEqual(view);
  });

  it('leaves out what has its default', () => {
    expect(formatView(parseView('?q=&cols=host,program&tz=mars&other=1'))).toBe('');
  });

  it('keeps few columns, each once', () => {
    expect(parseView('?cols=a,b,a,,c').cols).toEqual(['a', 'b', 'c']);
    expect(parseView(`?cols=${Array.from({ length: 99 }, (_, n) => n).join(',')}`).cols).toHaveLength(12);
  });

  it('asks the API with the same names and values', () => {
    const search = '?q=a%2Bb&from=now-1h&time=event&logspace=main';
    expect(apiUrl('search', scopeOf(parseView(search)))).toBe(`/api/v1/search${search}`);
  });

  it('has a link for a record', () => {
    expect(parseView(new URL(permalink('main:42'), 'http://x').search).at).toBe('main:42');
  });
});

it('saves what is asked and comes back to it', () => {
  const view = parseView('?q=a+|+count&from=now-1h&cols=pid,x&split=host&at=main:1&tz=utc');
  const saved = savedView(view);
  expect(saved).toEqual({ q: 'a | count', from: 'now-1h', to: '', time: '', logspace: '', cols: 'pid,x', split: 'host' });
  expect(changesOf(saved)).toEqual({ from: 'now-1h', to: '', time: '', logspace: '', cols: ['pid', 'x'], split: 'host' });
  expect(changesOf(savedView(parseView('')))['cols']).toEqual(['host', 'program']);
});
