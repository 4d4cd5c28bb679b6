import { isIP, isIPv4 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const GROUPS_OF_64_BITS = 4;

/** Normalises an IP address; undefined for any other text. */
export function addressOf(text: string | undefined): string | undefined {
  const plain = text?.trim().toLowerCase() ?? '';
  const bare = MAPPED.exec(plain)?.[1] ?? plain;
  return isIP(bare) === 0 || bare.includes('%') ? undefined : bare;
}

/** The first 64 bits of an IPv6 address, as four groups without leading zeros. */
function prefixOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const groups = address.includes('::') ? [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after] : before;
  return groups
    .slice(0, GROUPS_OF_64_BITS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Key of an address in rate limits. An IPv6 subscriber usually has a whole /64. */
export const limitKeyOf = (address: string): string => (isIPv4(address) || isIP(address) === 0 ? address : `${prefixOf(address)}::/64`);

/** Whether a server that listens on `host` is reachable from this machine only. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
