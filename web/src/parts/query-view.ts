// The editor of the query box, by CodeMirror. It is loaded after the rows (`query-editor.ts`).

import { startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';

import { queryCompletion, type Complete } from './query-completion';
import { BOX } from './query-editor';
import { setSquiggles, squiggles, tokenColours, type Squiggle } from './query-marks';

export interface QueryViewEvents {
  onChange(text: string): void;
  onRun(): void;
  complete: Complete;
}

/** The editor, as the query box uses it. */
export interface QueryView {
  focus(): void;
  /** Focuses it with all of its text selected. */
  select(): void;
  /** Offers what can stand at the cursor. */
  complete(): void;
  replace(text: string): void;
  /** Underlines what is wrong. */
  mark(marks: readonly Squiggle[]): void;
  /** Where a character stands, in pixels from the left edge of the window. */
  leftOf(index: number): number | undefined;
  destroy(): void;
}

export function openView(
  parent: HTMLElement,
  doc: string,
  selection: { anchor: number; head: number },
  nonce: string,
  events: QueryViewEvents,
): QueryView {
  const view = new EditorView({ parent, doc, selection, extensions: extensions(nonce, events) });
  return {
    focus: () => view.focus(),
    select() {
      view.focus();
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
    complete: () => startCompletion(view),
    replace(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes, selection: { anchor: text.length } });
    },
    mark(marks) {
      view.dispatch({ effects: setSquiggles.of(marks) });
      view.contentDOM.setAttribute('aria-invalid', String(marks.length > 0));
    },
    leftOf: (index) => view.coordsAtPos(index)?.left,
    destroy: () => view.destroy(),
  };
}

function extensions(nonce: string, events: QueryViewEvents): Extension {
  const run = () => {
    events.onRun();
    return true;
  };
  return [
    EditorView.cspNonce.of(nonce),
    history(),
    queryCompletion(events.complete),
    keymap.of([{ key: 'Enter', run }, ...historyKeymap, ...defaultKeymap]),
    // One line: what is pasted with line ends gets spaces instead.
    EditorState.transactionFilter.of((transaction) =>
      transaction.newDoc.lines > 1
        ? [transaction, { changes: lineEndChanges(transaction.newDoc), sequential: true }]
        : transaction,
    ),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': BOX.label,
      'aria-describedby': BOX.describedBy,
      'aria-multiline': 'false',
      'data-testid': 'query',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) events.onChange(update.state.doc.toString());
    }),
    placeholder(BOX.placeholder),
    replaceWithoutStyle,
    tokenColours,
    squiggles,
  ];
}

/**
 * Typing over a selection. Chromium would keep the look of the text that goes by a style attribute,
 * which the content security policy refuses with an error, so the editor replaces the text itself.
 */
const replaceWithoutStyle = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    if (event.inputType !== 'insertText' || event.data === null || state.selection.main.empty) {
      return false;
    }
    view.dispatch(state.replaceSelection(event.data), { userEvent: 'input.type' });
    return true;
  },
});

/** Changes that put a space for every line end. */
function lineEndChanges(doc: EditorState['doc']): { from: number; to: number; insert: string }[] {
  const changes = [];
  for (let line = 1; line < doc.lines; line += 1) {
    const at = doc.line(line).to;
    changes.push({ from: at, to: at + 1, insert: ' ' });
  }
  return changes;
}
