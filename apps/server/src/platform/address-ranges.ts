import { BlockList, isIP } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** A subscriber or a site is usually given a /64 of IPv6, so one host can use all of its addresses. */
const SITE_GROUPS = 4;

/** An IPv4 address that a dual-stack socket reports as IPv6, in its own form; other addresses as they are. */
export const plainAddress = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

/** Key under which connections of one host are counted: the IPv4 address, or the /64 of an IPv6 address. */
export function hostOf(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return `${[...left, ...zeros, ...right]
    .slice(0, SITE_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Whether an address lies in one of the ranges: single addresses, or networks with a prefix length. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const plain = plainAddress(address);
  const kind = isIP(plain);
  if (kind === 0) return false;
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list.check(plain, kind === 6 ? 'ipv6' : 'ipv4');
}

function addRange(list: BlockList, range: string): void {
  const [network = '', length] = range.split('/');
  const kind = isIP(network);
  if (kind === 0) return;
  const family = kind === 6 ? 'ipv6' : 'ipv4';
  if (length === undefined) list.addAddress(network, family);
  else list.addSubnet(network, Number(length), family);
}
