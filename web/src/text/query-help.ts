// The query language on a page: a line for each thing that can be written.

export interface HelpGroup {
  title: string;
  lines: readonly (readonly [query: string, meaning: string])[];
}

export const QUERY_HELP: readonly HelpGroup[] = [
  {
    title: 'Words',
    lines: [
      ['error timeout', 'both words, anywhere in the message; whole words, in any case'],
      ['"connection reset"', 'these words, one after the other'],
      ['err* ssh? *ass*', 'any characters, one character, anywhere in a word'],
      ['/fail(ed|ure)/', 'a regular expression'],
      ['10.0.0 /var/log', 'addresses and paths are words too'],
    ],
  },
  {
    title: 'Together',
    lines: [
      ['error OR warning', 'either; AND, OR and NOT are capitals'],
      ['NOT cron', 'all but those'],
      ['(a OR b) c', 'parentheses group'],
    ],
  },
  {
    title: 'Fields',
    lines: [
      ['host:web* program:nginx', 'host, program, pid, msgid, facility, source, peer, tag, message'],
      ['host:(web1 OR web2)', 'one of several values'],
      ['host:="Web1"', 'exactly this value'],
      ['req@1.status:502', 'a field of structured data'],
      ['severity:<=err', 'error or worse'],
      ['req@1.size:>1000', 'a number compared; also < <= >='],
      ['req@1.size:[100 TO 200]', 'a range, both ends included'],
      ['peer:10.0.0.0/8', 'addresses in a network'],
    ],
  },
  {
    title: 'Tables',
    lines: [
      ['error | count by host, program', 'how many, for each combination of values'],
      ['error | top req@1.user 20', 'the most frequent values'],
      ['error | bars 24 by severity', 'how many over time'],
      ['* | p95 req@1.duration by host', 'percentiles; also sum, avg, min, max'],
      ['* | patterns 50 | sort first desc', 'kinds of messages, the newest first'],
      ['error | fields received, host, message', 'a list; sort and head may follow'],
    ],
  },
];
