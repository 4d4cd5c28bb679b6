import { BlockList, isIP } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Subscribers usually get an IPv6 /64, so one host can use all addresses of it. */
const SITE_GROUPS = 4;

/** Converts an IPv4-mapped IPv6 address to IPv4; returns other addresses unchanged. */
export const plainAddress = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

/** Key for limits per host: the IPv4 address, or the /64 of an IPv6 address. */
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

/** Whether one of the ranges contains an address. A range is an address or a network with prefix length. */
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
