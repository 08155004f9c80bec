// What is said of a message beside its parts: how it was framed, where its time comes from, where it goes.

import type { ExplainedMessage, ExplainedStep } from '../api/types';

const FRAMINGS: Record<string, string> = {
  line_feed: 'a line, ended by a line feed',
  nul: 'ended by a NUL',
  end: 'a line, ended by the end of the text',
  limit: 'a line, longer than message_max',
  length: 'all of it is one message',
};

const HEADERS = { rfc5424: 'RFC 5424', rfc3164: 'RFC 3164, or a dialect of it', none: 'none' };

const VERDICTS = {
  takes: 'takes it',
  other_source: 'takes other sources',
  no_match: 'its query does not match',
  rejects: 'one of its steps rejects it',
  drops: 'one of its steps drops it',
  not_reached: 'not reached, as a route before it is final',
};

/** The decisions, by name, in the order in which they fall. */
export function decisions(message: ExplainedMessage): { name: string; value: string }[] {
  const { framing, routes, destinations } = message;
  const by = framing.by === 'octet_count' ? `octet count ${framing.count.trim()}` : (FRAMINGS[framing.by] ?? framing.by);
  const taken = routes.some((route) => route.verdict === 'takes');
  return [
    { name: 'framing', value: by + (framing.compressed ? '; compressed' : '') },
    { name: 'header', value: HEADERS[message.header] },
    ...message.decisions.map(({ reason }) => ({ name: 'decision', value: reason })),
    { name: 'time', value: timeFrom(message.time) },
    ...routes.flatMap(({ name, verdict, logspace, steps }) => [
      { name: 'route', value: `${name}: ${VERDICTS[verdict]}${verdict === 'takes' && logspace !== '' ? `, to ${logspace}` : ''}` },
      ...steps.map((step) => ({ name: 'step', value: stepText(step) })),
    ]),
    ...destinations.map(({ logspace, tags }) => ({
      name: 'goes to',
      value: logspace + (taken ? '' : ', the logspace of its source') + tagged(message, tags),
    })),
  ];
}

const STEP_VERDICTS = { done: '', skipped: ' (not done: its when does not match)', rejects: ' rejects it', drops: ' drops it', failed: ' fails' };

/** A step of a route, what became of the message, and what it changed. */
function stepText({ place, kind, verdict, reason, changes }: ExplainedStep): string {
  const changed = changes.map(({ name, value }) => (value === '' ? `${name} is gone` : `${name}=${value}`));
  const detail = [...(reason === '' ? [] : [reason]), ...changed].join(', ');
  return `${place} ${kind}${STEP_VERDICTS[verdict]}${detail === '' ? '' : `: ${detail}`}`;
}

function timeFrom(time: ExplainedMessage['time']): string {
  if (time.from === 'receipt') {
    return time.stamp === null ? 'that of receipt: there is no time stamp' : 'that of receipt: the time stamp is of no time that exists';
  }
  const year = time.year_from === 'receipt' ? '; the year is the last one at most a week ahead of receipt' : '';
  const zone = time.zone_from === 'source' ? `; the zone is that of the source, ${time.source_zone}` : '';
  return `the time stamp${year}${zone}`;
}

function tagged(message: ExplainedMessage, tags: readonly string[]): string {
  const added = tags.filter((tag) => !message.row.tags.includes(tag));
  return added.length === 0 ? '' : `, tagged ${added.join(', ')}`;
}
