// The query box: one line with colours and a squiggle under what is wrong.
//
// It starts as a plain <input>, which works at once and on its own, and becomes an editor when there
// is time for it: its code is half of the page's. Colours come from the local tokenizer; what is
// wrong comes from the server, asked 120 ms after the last change.

import './query-editor.css';

import type { Diagnostic, ParseAnswer } from '../api/types';
import { indexOfByte } from '../text/offsets';
import type { Complete } from './query-completion';
import type { QueryView } from './query-view';

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

/** What the input and the editor have in common. */
export const BOX = {
  label: 'Query',
  placeholder: 'Search: words, "a phrase", host:web*, severity:<=err',
  describedBy: 'query-error',
} as const;

export class QueryEditor {
  #events!: QueryEditorEvents;
  #host!: HTMLElement;
  #view: QueryView | null = null;
  #isOpening = false;
  #isComposing = false;
  #isTyped = false;
  #diagnostics: readonly Diagnostic[] = [];
  #text = '';
  #timer = 0;
  #parsing = new AbortController();
  readonly #input = document.createElement('input');

  mount(host: HTMLElement, text: string, events: QueryEditorEvents): void {
    this.#events = events;
    this.#host = host;
    this.#text = oneLine(text);
    this.#mountInput();
    if (this.#text !== '') this.#scheduleParse(0);
  }

  /**
   * Puts the editor in the input's place, with its text, selection and focus. `nonce` lets it add
   * its styles under the page's content security policy.
   */
  async upgrade(nonce: string): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    const loaded = await import('./query-view').catch(() => null);
    // Without its code the input stays, and works.
    if (!loaded) return;
    const input = this.#input;
    // What is composed of several keys would be lost half way.
    if (this.#isComposing) await new Promise((ended) => input.addEventListener('compositionend', ended));
    if (!this.#host.isConnected) return;
    const { selectionStart, selectionEnd } = input;
    const isFocused = document.activeElement === input;
    input.remove();
    const selection = { anchor: selectionStart ?? 0, head: selectionEnd ?? 0 };
    this.#view = loaded.openView(this.#host, this.#text, selection, nonce, {
      onChange: (text) => this.#changed(text),
      onRun: () => this.#events.onRun(),
      complete: this.#events.complete,
    });
    if (isFocused) this.#view.focus();
    // What was typed into the input had no list of completions yet.
    if (isFocused && this.#isTyped) this.#view.complete();
    this.#mark();
  }

  /** Replaces the text, for example after going back. */
  update(given: string): void {
    const text = oneLine(given);
    if (text === this.#text) return;
    this.#text = text;
    this.#input.value = text;
    this.#view?.replace(text);
    this.#scheduleParse(0);
  }

  focus(): void {
    if (this.#view) this.#view.select();
    else this.#input.select();
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
    input.placeholder = BOX.placeholder;
    input.spellcheck = false;
    input.autocomplete = 'off';
    input.dataset['testid'] = 'query';
    input.setAttribute('aria-label', BOX.label);
    input.setAttribute('aria-describedby', BOX.describedBy);
    input.addEventListener('input', () => {
      this.#isTyped = true;
      this.#changed(input.value);
    });
    input.addEventListener('compositionstart', () => (this.#isComposing = true));
    input.addEventListener('compositionend', () => (this.#isComposing = false));
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) this.#events.onRun();
    });
    this.#host.append(input);
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

  #show(diagnostics: readonly Diagnostic[]): void {
    this.#diagnostics = diagnostics;
    this.#mark();
  }

  /** Draws what is wrong where it stands, and tells it. */
  #mark(): void {
    const marks = this.#diagnostics.map(({ start, end, severity }) => ({
      from: indexOfByte(this.#text, start),
      to: indexOfByte(this.#text, end),
      severity,
    }));
    this.#view?.mark(marks);
    const edge = this.#host.getBoundingClientRect().left;
    const placed = this.#diagnostics.map(({ message, hint, severity }, index) => {
      const left = this.#view?.leftOf(marks[index]?.from ?? 0) ?? edge;
      return { message, hint, severity, left: left - edge };
    });
    this.#events.onDiagnostics(placed);
  }
}

/** The text with a space for every line end, as the editor has it. */
function oneLine(text: string): string {
  return text.replace(/\r\n?|\n/g, ' ');
}
