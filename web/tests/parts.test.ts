// The logic of the parts that draw: where rows are, what a brush selects.

import { describe, expect, it } from 'vitest';

import { countOf, rangeOf, runOf, selectByKey } from '../src/parts/histogram-bars';
import { RowGeometry } from '../src/parts/row-geometry';

describe('rows with unfolded details', () => {
  const geometry = new RowGeometry(20, 100, new Map([[3, 200], [10, 50]]));

  it('lie below the details above them', () => {
    expect([0, 3, 4, 10, 11].map((index) => geometry.top(index))).toEqual([0, 60, 280, 400, 470]);
    expect(geometry.height).toBe(2_250);
  });

  it('are found at every position', () => {
    for (let y = 0; y < geometry.height; y += 1) {
      const index = geometry.indexAt(y);
      expect(geometry.top(index)).toBeLessThanOrEqual(y);
      expect(geometry.top(index + 1)).toBeGreaterThan(y);
    }
    expect(geometry.indexAt(-5)).toBe(0);
    expect(geometry.indexAt(1e9)).toBe(99);
  });
});

describe('a selection of bars', () => {
  const answer = {
    complete: true,
    reason: null,
    elapsed_ms: 0,
    segments: { total: 0, pruned: 0 },
    bytes_read: 0,
    from: 'a',
    to: 'z',
    total: 6,
    bars: [{ start: 'a', count: 1 }, { start: 'b', count: 2 }, { start: 'c', count: 3 }],
  };

  it('spans from the first start to the end of the last', () => {
    expect(rangeOf(answer, runOf(1, 0, 3))).toEqual({ from: 'a', to: 'c' });
    expect(rangeOf(answer, runOf(1, 99, 3))).toEqual({ from: 'b', to: 'z' });
    expect(countOf(answer, runOf(1, 2, 3))).toBe(5);
  });

  it('is moved and grown by keys', () => {
    const first = selectByKey(null, 'ArrowRight', false, 3);
    expect(first).toEqual({ anchor: 0, focus: 0 });
    const grown = selectByKey(first, 'ArrowRight', true, 3);
    expect(grown).toEqual({ anchor: 0, focus: 1 });
    expect(selectByKey(grown, 'End', true, 3)).toEqual({ anchor: 0, focus: 2 });
    expect(selectByKey(grown, 'ArrowLeft', false, 3)).toEqual({ anchor: 0, focus: 0 });
    expect(selectByKey(null, 'ArrowLeft', false, 3)).toEqual({ anchor: 2, focus: 2 });
    expect(selectByKey(first, 'x', false, 3)).toBeNull();
  });
});
