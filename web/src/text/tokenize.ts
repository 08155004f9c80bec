// A small tokenizer of the query language, for colours while typing and for marking matches.
//
// It follows the server's scanner (crates/query/src/scan.rs) and a golden file made by that scanner
// holds it to it; but it reports nothing and never fails. Diagnostics come from the server.

export type TokenKind =
  | 'term'
  | 'wildcard'
  | 'field'
  | 'operator'
  | 'phrase'
  | 'regex'
  | 'paren'
  | 'command';

/** A piece of the query; offsets are UTF-16 code units, `end` is exclusive. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  /**
   * Of text that a matching record holds: the field that holds it, empty for a bare term. Null for
   * all other pieces, and where the text is negated or compared by size.
   */
  target: string | null;
}

/** What the values at a place belong to. */
interface Scope {
  field: string;
  negated: boolean;
}

const SPACE = /\s*/y;
const OPERATOR = /(?:AND|OR|NOT)(?![^\s()"|])/y;
const NAME = /[\p{Alphabetic}_.@][\p{Alphabetic}\p{N}_.@-]*(?=:)/uy;
const OWN_NAME =
  /^(?:message|host|program|pid|msgid|facility|severity|priority|tag|source|peer|ip|nvpair)$/i;
const ADDRESS = /(?=[^\s()"|]*:[^\s()"|]*:)[0-9a-fA-F:.*?]+(?![^\s()"|])/y;
const PAIR_NAME = /(?:"(?:[^"\\]|\\[^])*"|[^\s()"|=]+)=/y;
const REGEX = /\/(?:[^/\\]|\\[^])+\/(?![^\s()"|])/y;
const PHRASE = /"(?:[^"\\]|\\[^])*"?/y;
const RANGE = /\[(?=[^\]\s()"|]*\s)/y;
const BOUND = /(?:\\[*?\\"/()[\]=<>:|]|[^\]\s()"|*?])+/y;
const COMPARISON = /[<>]=?/y;
const WILDCARD = /[*?]/y;
const PLAIN = /(?:\\[*?\\"/()[\]=<>:|]|[^\s()"|*?])+/y;
const PIPE = /\|/y;
const STAGE_WORD = /[^\s()"|,]+/y;
const STAGE_KEYWORD = /(?:by|desc|asc|(?<=\|\s*patterns(?:\s+\d+)?\s+)bars)(?![^\s()"|,])/iy;
const STAGE_NUMBER = /\d+(?![^\s()"|,])/y;
const QUOTED_NAME = /nvpair:"(?:[^"\\]|\\[^])*"/iy;

class Scanner {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;
  /** The groups that are open, the innermost last. */
  readonly #groups: Scope[] = [{ field: '', negated: false }];

  constructor(text: string) {
    this.#text = text;
  }

  run(): Token[] {
    let negated = false;
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length) return this.tokens;
      const group = this.#groups.at(-1) as Scope;
      const scope = { field: group.field, negated: group.negated !== negated };
      const operator = this.#take('operator', OPERATOR);
      if (operator !== null) {
        negated = operator === 'NOT' ? !negated : false;
        continue;
      }
      this.#operand(scope);
      negated = false;
    }
  }

  /** A group, the end of one, or a value with or without a field. */
  #operand(scope: Scope): void {
    const field = this.#field();
    if (field !== null && (this.#at >= this.#text.length || this.#looksAt(/\s/y))) return;
    const inner = field === null ? scope : { ...scope, field };
    if (this.#take('paren', /\(/y) !== null) this.#groups.push(inner);
    else if (this.#take('paren', /\)/y) !== null) {
      if (this.#groups.length > 1) this.#groups.pop();
    } else if (this.#take('operator', PIPE) !== null) this.#stage();
    else this.#value(inner);
  }

  /** What stands behind a pipe, up to the next one. */
  #stage(): void {
    this.#skipSpace();
    this.#take('command', STAGE_WORD);
    for (;;) {
      this.#skipSpace();
      if (this.#looksAt(PIPE)) return;
      const part =
        this.#take('operator', STAGE_KEYWORD) ??
        this.#take('term', STAGE_NUMBER) ??
        this.#take('field', QUOTED_NAME) ??
        this.#take('field', STAGE_WORD) ??
        this.#take('operator', /,/y) ??
        this.#take('phrase', PHRASE) ??
        this.#take('paren', /[()]/y);
      if (part === null) return;
    }
  }

  /** The name of a field with its colon, if one stands here. */
  #field(): string | null {
    const end = this.#match(NAME);
    if (end === null) return null;
    const name = this.#text.slice(this.#at, end);
    const value = this.#text.slice(end + 1);
    const isTerm = /^:|^\/\//.test(value) || (value.startsWith('\\') && name.length === 1);
    if (!OWN_NAME.test(name) && (isTerm || this.#looksAt(ADDRESS))) return null;
    this.#push('field', end + 1);
    if (name.toLowerCase() !== 'nvpair') return name.toLowerCase();
    return this.#take('field', PAIR_NAME) ?? name;
  }

  #value({ field, negated }: Scope): void {
    const target = negated ? null : field;
    if (this.#take('regex', REGEX) !== null) return;
    if (field !== '') {
      if (this.#looksAt(RANGE)) {
        this.#range();
        return;
      }
      if (this.#take('operator', COMPARISON) !== null) {
        this.#word(null);
        return;
      }
      this.#take('operator', /=/y);
    }
    if (this.#take('phrase', PHRASE, target) === null) this.#word(target);
  }

  #word(target: string | null, plain = PLAIN): void {
    for (;;) {
      const part = this.#take('term', plain, target) ?? this.#take('wildcard', WILDCARD, target);
      if (part === null) return;
    }
  }

  #range(): void {
    this.#take('paren', /\[/y);
    this.#skipSpace();
    this.#word(null, BOUND);
    this.#skipSpace();
    this.#take('operator', /TO/y);
    this.#skipSpace();
    this.#word(null, BOUND);
    this.#skipSpace();
    this.#take('paren', /\]/y);
  }

  #skipSpace(): void {
    this.#at = this.#match(SPACE) ?? this.#at;
  }

  #looksAt(rule: RegExp): boolean {
    return this.#match(rule) !== null;
  }

  /** Where a rule's match from here ends. */
  #match(rule: RegExp): number | null {
    rule.lastIndex = this.#at;
    return rule.test(this.#text) ? rule.lastIndex : null;
  }

  #take(kind: TokenKind, rule: RegExp, target: string | null = null): string | null {
    const end = this.#match(rule);
    return end === null ? null : this.#push(kind, end, target);
  }

  #push(kind: TokenKind, end: number, target: string | null = null): string {
    const start = this.#at;
    this.tokens.push({ kind, start, end, target });
    this.#at = end;
    return this.#text.slice(start, end);
  }
}

/** The pieces of a query, in order, without the white space between them. */
export function tokenize(text: string): Token[] {
  return new Scanner(text).run();
}
