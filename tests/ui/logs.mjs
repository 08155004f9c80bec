// Made-up records: the same in every run but for their times, which are of the last hour.

const HOSTS = ['web1', 'web2', 'db1', 'fw1'];
const MESSAGES = [
  ['sshd', 38, (n) => `Failed password for invalid user admin from 10.0.0.${n % 250} port 4${n % 97} ssh2`],
  ['nginx', 190, (n) => `10.0.1.${n % 200} - - "GET /items/${n} HTTP/1.1" 200 ${n % 3000}`],
  ['nginx', 187, (n) => `upstream timed out while reading response from 10.0.2.${n % 9}`],
  ['kernel', 4, (n) => `[UFW BLOCK] IN=eth0 SRC=10.0.3.${n % 250} DST=10.0.0.1 PROTO=TCP DPT=${n % 1024}`],
  ['app', 131, (n) => `{"level":"error","order":${n},"reason":"card declined"}`],
];

/** `count` lines, oldest first, evenly over the last 50 minutes. */
export function logs(count, now = Date.now()) {
  const step = (50 * 60_000) / count;
  return Array.from({ length: count }, (_, n) => {
    const [program, priority, text] = MESSAGES[n % MESSAGES.length];
    const time = new Date(now - 50 * 60_000 + n * step).toISOString();
    return `<${priority}>1 ${time} ${HOSTS[n % 4]} ${program} ${300 + (n % 7)} - - ${text(n)}`;
  });
}
