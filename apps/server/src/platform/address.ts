import { isIP, isIPv4 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const GROUPS_OF_64_BITS = 4;

/** An IP address in one spelling; undefined for any other text. */
export function addressOf(text: string | undefined): string | undefined {
  const plain = text?.trim().toLowerCase() ?? '';
  const bare = MAPPED.exec(plain)?.[1] ?? plain;
  return isIP(bare) === 0 || bare.includes('%') ? undefined : bare;
}

/** The first 64 bits of an IPv6 address, as eight groups are written without `::`. */
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

/** What limits count an address by. One customer of a provider holds a whole /64 of IPv6 addresses. */
export const limitKeyOf = (address: string): string => (isIPv4(address) || isIP(address) === 0 ? address : `${prefixOf(address)}::/64`);

/** Whether only programs on this machine reach a server that listens here. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
