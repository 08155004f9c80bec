// What the query editor draws over its text: a colour for each token, a line under what is wrong.

import { RangeSetBuilder, StateEffect, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

import { tokenize } from '../text/tokenize';

export interface Squiggle {
  from: number;
  to: number;
  severity: 'error' | 'warning';
}

function colour(state: EditorState): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { kind, start, end } of tokenize(state.doc.toString())) {
    builder.add(start, end, Decoration.mark({ class: `query-${kind}` }));
  }
  return builder.finish();
}

/** Colours of the tokens; the whole text is one short line, so it is coloured anew each time. */
export const tokenColours = StateField.define<DecorationSet>({
  create: colour,
  update: (set, transaction) => (transaction.docChanged ? colour(transaction.state) : set),
  provide: (field) => EditorView.decorations.from(field),
});

/** Replaces all squiggles. */
export const setSquiggles = StateEffect.define<readonly Squiggle[]>();

function underline(squiggles_: readonly Squiggle[], length: number): DecorationSet {
  const ranges = squiggles_.flatMap(({ from, to, severity }) => {
    // A place between characters, such as the end of the text, underlines what stands before it.
    const end = Math.min(Math.max(to, from + 1), length);
    const start = Math.min(from, Math.max(end - 1, 0));
    return start < end ? [Decoration.mark({ class: `query-${severity}` }).range(start, end)] : [];
  });
  return Decoration.set(ranges, true);
}

/** The squiggles; they move with the text until the server has judged it anew. */
export const squiggles = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setSquiggles)) return underline(effect.value, transaction.newDoc.length);
    }
    return set.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
