import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isInRanges, plainAddress } from '#platform/address-ranges.ts';

export interface DialRules {
  /** Permits loopback and link-local addresses, for a simulated fleet on this machine. */
  mayReachLocal: boolean;
  /** Listening ports of this head-end, which are never dialled at an address of this machine. */
  ownPorts: readonly number[];
  /** Permitted addresses and CIDR blocks; empty: every network. */
  networks: readonly string[];
}

const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('0.0.0.0', 8, 'ipv4');
LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addAddress('::', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Multicast and reserved addresses, refused in any configuration. */
const NO_HOST = new BlockList();
NO_HOST.addSubnet('224.0.0.0', 3, 'ipv4');
NO_HOST.addSubnet('ff00::', 8, 'ipv6');

const GROUPS = 8;

/** The IPv4 address embedded in an IPv6 address: mapped, compatible, or translated by NAT64. */
function embeddedIpv4(address: string): string | undefined {
  const text = address.split('%')[0] ?? '';
  if (isIP(text) !== 6) return undefined;
  // The URL parser normalises every notation to one without dotted numbers.
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: GROUPS - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
  const prefix = groups.slice(0, 6).join(',');
  const [high = 0, low = 0] = groups.slice(6);
  const isEmbedded = ['0,0,0,0,0,65535', '0,0,0,0,65535,0', `${0x64},${0xff9b},0,0,0,0`].includes(prefix);
  const isCompatible = prefix === '0,0,0,0,0,0' && high > 0;
  return isEmbedded || isCompatible ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined;
}

const familyOf = (address: string) => (isIP(address) === 6 ? ('ipv6' as const) : ('ipv4' as const));

function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []));
}

/** Reason why an address must not be dialled; undefined: permitted. Takes addresses, not host names. */
export function refusalToDial(address: string, port: number, { mayReachLocal, ownPorts, networks }: DialRules): string | undefined {
  const judged = embeddedIpv4(address) ?? plainAddress(address.split('%')[0] ?? '');
  const family = familyOf(judged);
  if (isIP(judged) === 0 || NO_HOST.check(judged, family)) return `${address} is not the address of a DCU`;
  const isLocal = LOCAL.check(judged, family);
  if (ownPorts.includes(port) && (isLocal || ownAddresses().has(judged))) return `${address}:${port} is a port of this head-end`;
  if (networks.length > 0 && !isInRanges(judged, networks)) return `${address} is in no network of HES_DIAL_NETWORKS`;
  return isLocal && !mayReachLocal ? `${address} is loopback or link-local; HES_DIAL_LOCAL=on permits it` : undefined;
}

/** Resolves a host and returns its first address, the one to dial. Fails when any of its addresses is refused. */
export async function resolveToDial(host: string, port: number, rules: DialRules): Promise<string> {
  const found = await lookup(host, { all: true });
  const refusal = found.map(({ address }) => refusalToDial(address, port, rules)).find((why) => why !== undefined);
  if (refusal !== undefined) throw new Error(refusal);
  const [first] = found;
  if (first === undefined) throw new Error(`${host} has no address`);
  return first.address;
}
