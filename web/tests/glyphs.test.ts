import { expect, it } from 'vitest';

import { runs, visible } from '../src/text/glyphs';

it.each([
  ['plain text, héllo 日本', 'plain text, héllo 日本'],
  ['a\r\nb\0', 'a\\r\\nb\\x00'],
  ['\u2066x\u2069\u200b\ufeff', '\\u{2066}x\\u{2069}\\u{200b}\\u{feff}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['half \ud83d of a pair', 'half \\u{d83d} of a pair'],
  ['\ud83d\udc69\u200d\ud83d\ude80', '\ud83d\udc69\u200d\ud83d\ude80'],
])('%j is shown as %j', (text, expected) => {
  expect(visible(text)).toBe(expected);
  expect(
    runs(text)
      .map((run) => run.text)
      .join(''),
  ).toBe(expected);
});
