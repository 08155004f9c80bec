// The queries that this browser has asked, the latest first.

import { readList, rememberList } from './preferences';

const NAME = 'queries';
const QUERIES_MAX = 100;
const LENGTH_MAX = 2_000;

export class QueryHistory {
  queries = $state.raw<readonly string[]>(readList(NAME) ?? []);

  remember(query: string): void {
    const text = query.trim();
    if (text === '' || text.length > LENGTH_MAX || text === this.queries[0]) return;
    const others = this.queries.filter((each) => each !== text);
    this.queries = [text, ...others].slice(0, QUERIES_MAX);
    rememberList(NAME, this.queries);
  }

  clear(): void {
    this.queries = [];
    rememberList(NAME, []);
  }
}
