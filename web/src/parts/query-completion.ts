// Completion in the query box. Enter always runs the query, unless somebody has gone down into the
// list with the arrows; Tab takes what is offered first.

import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { Prec, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';

import type { Completions } from '../state/completion';

/** Asks what can stand at a place of a text. */
export type Complete = (
  text: string,
  cursor: number,
  signal: AbortSignal,
) => Promise<Completions>;

function isOpen(view: EditorView): boolean {
  return completionStatus(view.state) === 'active';
}

function acceptFirst(view: EditorView): boolean {
  if (!isOpen(view)) return false;
  if (selectedCompletionIndex(view.state) === null) moveCompletionSelection(true)(view);
  return acceptCompletion(view);
}

function acceptChosen(view: EditorView): boolean {
  if (isOpen(view) && selectedCompletionIndex(view.state) !== null) return acceptCompletion(view);
  closeCompletion(view);
  return false;
}

function source(complete: Complete) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    // An empty box offers what was asked before, but only when that is asked for.
    if (text.trim() === '' && !context.explicit) return null;
    const abort = new AbortController();
    context.addEventListener('abort', () => abort.abort(), { onDocChange: true });
    // Without an answer nothing is offered; the next key asks again.
    const found = await complete(text, context.pos, abort.signal).catch(() => null);
    // Whoever has gone on meanwhile wants no list over what they look at now.
    if (!found || found.options.length === 0 || context.view?.hasFocus === false) return null;
    const { from, to } = found;
    const options = found.options.map(({ label, detail, apply }) => ({
      label,
      detail,
      apply: (view: EditorView) => {
        view.dispatch({
          changes: { from, to, insert: apply },
          selection: { anchor: from + apply.length },
          userEvent: 'input.complete',
        });
        // Behind the colon of a field its values are next, behind a command its fields.
        if (/[: =]$/.test(apply)) startCompletion(view);
      },
    }));
    return { from, options, filter: false };
  };
}

export function queryCompletion(complete: Complete): Extension {
  return [
    autocompletion({
      override: [source(complete)],
      defaultKeymap: false,
      selectOnOpen: false,
      interactionDelay: 0,
      icons: false,
      tooltipClass: () => 'query-completions',
    }),
    Prec.highest(
      keymap.of([
        { key: 'ArrowDown', run: moveCompletionSelection(true) },
        { key: 'ArrowDown', run: startCompletion },
        { key: 'ArrowUp', run: moveCompletionSelection(false) },
        { key: 'Ctrl-Space', run: startCompletion },
        { key: 'Tab', run: acceptFirst },
        { key: 'Enter', run: acceptChosen },
        { key: 'Escape', run: closeCompletion, stopPropagation: true },
      ]),
    ),
  ];
}
