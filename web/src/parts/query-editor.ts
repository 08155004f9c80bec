// The query box: one line with colours and a squiggle under what is wrong.
//
// It starts as a plain <input>, which works at once and on its own, and becomes a CodeMirror editor
// when the page has drawn. Colours come from the local tokenizer; what is wrong comes from the
// server, asked 120 ms after the last change.

import './query-editor.css';

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';

import type { Diagnostic, ParseAnswer } from '../api/types';
import { indexOfByte } from '../text/offsets';
import { queryCompletion, type Complete } from './query-completion';
import { setSquiggles, squiggles, tokenColours } from './query-marks';

/** A diagnostic in the text of the editor; `left` is where it starts, in pixels. */
export interface PlacedDiagnostic {
  message: string;
  hint: string | null;
  severity: 'error' | 'warning';
  left: number;
}

export interface QueryEditorEvents {
  onChange(text: string): void;
  onRun(): void;
  /** Asks the server what it makes of the text. */
  parse(text: string, signal: AbortSignal): Promise<ParseAnswer>;
  /** What is wrong with the text now; empty if nothing is. */
  onDiagnostics(diagnostics: PlacedDiagnostic[]): void;
  /** What the server takes the text for; empty where it says nothing. */
  onMeaning(meaning: string): void;
  complete: Complete;
}

const PARSE_DELAY_MS = 120;
const LABEL = 'Query';
const PLACEHOLDER = 'Search: words, "a phrase", host:web*, severity:<=err';
const ERROR_ID = 'query-error';

export class QueryEditor {
  #events!: QueryEditorEvents;
  #host!: HTMLElement;
  #view: EditorView | null = null;
  #text = '';
  #timer = 0;
  #parsing = new AbortController();
  readonly #input = document.createElement('input');

  /** `nonce` lets the editor add its styles under the page's content security policy. */
  mount(host: HTMLElement, text: string, nonce: string, events: QueryEditorEvents): void {
    this.#events = events;
    this.#host = host;
    this.#text = oneLine(text);
    this.#mountInput();
    requestAnimationFrame(() => this.#upgrade(nonce));
    this.#scheduleParse(0);
  }

  /** Replaces the text, for example after going back. */
  update(given: string): void {
    const text = oneLine(given);
    if (text === this.#text) return;
    this.#text = text;
    this.#input.value = text;
    this.#view?.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
    this.#scheduleParse(0);
  }

  focus(): void {
    if (!this.#view) {
      this.#input.select();
      return;
    }
    this.#view.focus();
    this.#view.dispatch({ selection: { anchor: 0, head: this.#view.state.doc.length } });
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#parsing.abort();
    this.#view?.destroy();
    this.#input.remove();
  }

  #mountInput(): void {
    const input = this.#input;
    input.type = 'text';
    input.className = 'query-input';
    input.value = this.#text;
    input.placeholder = PLACEHOLDER;
    input.spellcheck = false;
    input.autocomplete = 'off';
    input.dataset['testid'] = 'query';
    input.setAttribute('aria-label', LABEL);
    input.setAttribute('aria-describedby', ERROR_ID);
    input.addEventListener('input', () => this.#changed(input.value));
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) this.#events.onRun();
    });
    this.#host.append(input);
  }

  /** Puts the editor in the input's place, with its text, selection and focus. */
  #upgrade(nonce: string): void {
    const { selectionStart, selectionEnd } = this.#input;
    const focused = document.activeElement === this.#input;
    if (!this.#host.isConnected) return;
    this.#input.remove();
    this.#view = new EditorView({
      parent: this.#host,
      doc: this.#text,
      selection: { anchor: selectionStart ?? 0, head: selectionEnd ?? 0 },
      extensions: this.#extensions(nonce),
    });
    if (focused) this.#view.focus();
  }

  #extensions(nonce: string): Extension {
    const run = () => {
      this.#events.onRun();
      return true;
    };
    return [
      EditorView.cspNonce.of(nonce),
      history(),
      queryCompletion(this.#events.complete),
      keymap.of([{ key: 'Enter', run }, ...historyKeymap, ...defaultKeymap]),
      // One line: what is pasted with line ends gets spaces instead.
      EditorState.transactionFilter.of((transaction) =>
        transaction.newDoc.lines > 1
          ? [transaction, { changes: lineEndChanges(transaction.newDoc), sequential: true }]
          : transaction,
      ),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': LABEL,
        'aria-describedby': ERROR_ID,
        'aria-multiline': 'false',
        'data-testid': 'query',
        spellcheck: 'false',
        autocapitalize: 'off',
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.#changed(update.state.doc.toString());
      }),
      placeholder(PLACEHOLDER),
      replaceWithoutStyle,
      tokenColours,
      squiggles,
    ];
  }

  #changed(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#events.onChange(text);
    this.#scheduleParse(PARSE_DELAY_MS);
  }

  #scheduleParse(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#parsing.abort();
    this.#timer = setTimeout(() => void this.#parse(), delayMs) as unknown as number;
  }

  async #parse(): Promise<void> {
    if (this.#text.trim() === '') {
      this.#show([]);
      this.#events.onMeaning('');
      return;
    }
    this.#parsing = new AbortController();
    const { signal } = this.#parsing;
    try {
      const answer = await this.#events.parse(this.#text, signal);
      if (signal.aborted) return;
      this.#show(answer.diagnostics);
      this.#events.onMeaning(answer.valid ? answer.canonical : '');
    } catch {
      // No diagnostics without a server; running the query says what is wrong.
    }
  }

  #show(diagnostics: Diagnostic[]): void {
    const text = this.#text;
    const marks = diagnostics.map((diagnostic) => ({
      from: indexOfByte(text, diagnostic.start),
      to: indexOfByte(text, diagnostic.end),
      severity: diagnostic.severity,
    }));
    this.#view?.dispatch({ effects: setSquiggles.of(marks) });
    this.#view?.contentDOM.setAttribute('aria-invalid', String(marks.length > 0));
    const placed = diagnostics.map(({ message, hint, severity }, index) => {
      const left = this.#leftOf(marks[index]?.from ?? 0);
      return { message, hint, severity, left };
    });
    this.#events.onDiagnostics(placed);
  }

  /** Where a character stands, in pixels from the left edge of the host. */
  #leftOf(index: number): number {
    const left = this.#view?.coordsAtPos(index)?.left;
    return left === undefined ? 0 : left - this.#host.getBoundingClientRect().left;
  }
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

/** The text with a space for every line end, as the editor has it. */
function oneLine(text: string): string {
  return text.replace(/\r\n?|\n/g, ' ');
}

/** Changes that put a space for every line end. */
function lineEndChanges(doc: EditorState['doc']): { from: number; to: number; insert: string }[] {
  const changes = [];
  for (let line = 1; line < doc.lines; line += 1) {
    const at = doc.line(line).to;
    changes.push({ from: at, to: at + 1, insert: ' ' });
  }
  return changes;
}
