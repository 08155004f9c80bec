// Hosts that sent something in the last day and nothing in the last hour.

import * as api from '../api/client';
import { withFilter } from '../text/query-text';

/** Most hosts compared. */
const HOSTS_MAX = 5_000;

/** Most hosts told, each with the time of its last record, which is a question of its own. */
const TOLD_MAX = 20;

export interface SilentHost {
  host: string;
  /** Records of the last day. */
  count: number;
  /** When the last of them was received. */
  last: string | null;
}

export interface Silence {
  hosts: readonly SilentHost[];
  /** How many more are silent. */
  more: number;
  /** How many hosts there are altogether. */
  all: number;
}

async function lastOf(host: string, signal: AbortSignal): Promise<string | null> {
  let last: string | null = null;
  const q = withFilter('', 'host:', host, false);
  await api.search({ q, limit: 1 }, signal, (rows) => (last = rows[0]?.received ?? last));
  return last;
}

export async function silentHosts(signal: AbortSignal): Promise<Silence> {
  const hosts = (from: string) => api.stats({ from, by: 'host', limit: HOSTS_MAX }, signal);
  const [day, hour] = await Promise.all([hosts('now-24h'), hosts('now-1h')]);
  const heard = new Set(hour.values.map(({ value }) => value));
  const silent = day.values.filter(({ value }) => value !== '' && !heard.has(value));
  const told = await Promise.all(
    silent.slice(0, TOLD_MAX).map(async ({ value, count }) => {
      return { host: value, count, last: await lastOf(value, signal) };
    }),
  );
  return { hosts: told, more: silent.length - told.length, all: day.distinct };
}
