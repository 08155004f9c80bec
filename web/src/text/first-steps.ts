// The command that sends a first record, made from where the server really listens.

interface Listener {
  transport: string;
  address: string;
}

const DEFAULT_ADDRESS = '127.0.0.1:5514';

/** A `logger` command for the first TCP listener, else the first UDP one. */
export function loggerCommand(listeners: readonly Listener[], pageHost: string): string {
  const tcp = listeners.find((listener) => listener.transport === 'tcp');
  const udp = listeners.find((listener) => listener.transport === 'udp');
  const address = (tcp ?? udp)?.address ?? DEFAULT_ADDRESS;
  const colon = address.lastIndexOf(':');
  const bound = address.slice(0, colon).replace(/^\[|\]$/g, '');
  const host = bound === '0.0.0.0' || bound === '::' ? pageHost : bound;
  return `logger -n ${host} -P ${address.slice(colon + 1)} ${tcp || !udp ? '-T' : '-d'} hello`;
}
