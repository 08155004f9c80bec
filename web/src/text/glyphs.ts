// Characters that cannot be seen, made visible.
//
// Log text is hostile: a control character can hide, and a bidirectional override can reorder what
// is read. They are shown as escapes in a style of their own and never reach the page as they are.
// The joiners U+200C and U+200D stay: scripts and emoji need them.

const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

const NAMED: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export interface Run {
  text: string;
  /** Whether the text is an escape that stands for a character that cannot be seen. */
  escaped: boolean;
}

function escape(character: string): string {
  const named = NAMED[character];
  if (named) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}

/** The text cut into runs to be shown as they are and escapes. */
export function runs(text: string): Run[] {
  const out: Run[] = [];
  let start = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > start) out.push({ text: text.slice(start, match.index), escaped: false });
    out.push({ text: escape(match[0]), escaped: true });
    start = match.index + match[0].length;
  }
  if (start < text.length) out.push({ text: text.slice(start), escaped: false });
  return out;
}

/** The text with every unseen character as its escape, for titles and for the clipboard. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escape);
}
