// What may be completed at a place of a query: the name of a field, a keyword, or a value.

export type Place =
  /** A word: a field's name, or a keyword. */
  | { kind: 'word'; from: number; typed: string }
  /** A value of a field; `from` is where it starts, quotes and the sign of equality included. */
  | { kind: 'value'; from: number; typed: string; field: string };

export interface Completion {
  label: string;
  /** What is put in place of what was typed. */
  apply: string;
  detail: string;
}

export interface Completions {
  /** Where that starts in the text. */
  from: number;
  options: Completion[];
}

const NAME = String.raw`[\p{Alphabetic}_.@][\p{Alphabetic}\p{N}_.@-]*`;
const VALUE = new RegExp(String.raw`(?:^|[\s(])(${NAME}):(=?(?:"((?:[^"\\]|\\[^])*)|([^\s()"|<>=\[/]*)))$`, 'u');
const WORD = new RegExp(String.raw`(?:^|[\s(])(${NAME})$`, 'u');

/** Whether a quote is open before a place. */
function isQuoted(text: string): boolean {
  return (text.replace(/\\[^]/g, '').match(/"/g)?.length ?? 0) % 2 === 1;
}

/** What stands before the cursor; null where nothing can be completed. */
export function placeOf(text: string, cursor: number): Place | null {
  const before = text.slice(0, cursor);
  const value = VALUE.exec(before);
  if (value) {
    const [, field = '', whole = '', quoted, plain] = value;
    const isOpen = quoted !== undefined && isQuoted(before);
    if (quoted !== undefined && !isOpen) return null;
    return { kind: 'value', from: cursor - whole.length, typed: quoted ?? plain ?? '', field };
  }
  if (isQuoted(before)) return null;
  const word = WORD.exec(before)?.[1];
  return word === undefined ? null : { kind: 'word', from: cursor - word.length, typed: word };
}

/** A value as it is written behind the colon of its field: plain, or exactly and in quotes. */
export function valueText(value: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(value)) return value;
  return `="${value.replace(/["\\*?]/g, '\\$&')}"`;
}
