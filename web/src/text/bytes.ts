// Bytes that are not text, as a hexadecimal dump.

const LINE_BYTES = 16;

/** The bytes of a base64 text, at most `limit` of them. */
export function decodeBase64(base64: string, limit: number): Uint8Array {
  const whole = base64.slice(0, Math.ceil(limit / 3) * 4);
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0)).slice(0, limit);
}

/** `00000000  3c 33 34 3e  ...  |<34>...|`, a line for each 16 bytes. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const part = [...bytes.subarray(at, at + LINE_BYTES)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const offset = at.toString(16).padStart(8, '0');
    lines.push(`${offset}  ${hex.padEnd(LINE_BYTES * 3 - 1)}  |${text.join('')}|`);
  }
  return lines.join('\n');
}
