// The server counts UTF-8 bytes, the browser UTF-16 code units.

/** The UTF-8 byte offset of an index in `text`. */
export function byteOfIndex(text: string, index: number): number {
  return new TextEncoder().encode(text.slice(0, index)).length;
}

/** The index in `text` of a UTF-8 byte offset; inside a character it is that character's start. */
export function indexOfByte(text: string, byte: number): number {
  let bytes = 0;
  let index = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + size > byte) break;
    bytes += size;
    index += character.length;
  }
  return index;
}
