import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isInRanges, plainAddress } from './address-ranges.ts';

/** Networks that a request of the head-end must not enter unless they are permitted: an administrator could read services behind the firewall by it. */
// Two lists: a list with `::ffff:0:0/96` contains every IPv4 address.
const INTERNAL = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  INTERNAL.ipv4.addSubnet(network, bits, 'ipv4');
// Prefixes 64:ff9b (NAT64) and 2002 (6to4) contain IPv4 addresses, `::/96`, `::ffff:0:0/96` and `::ffff:0:0:0/96` (SIIT) as well.
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 32],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  INTERNAL.ipv6.addSubnet(network, bits, 'ipv6');

const ownAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);

/** Whether an address is in a network that the setting HES_DELIVERY_NETWORKS permits. */
const isPermitted = (address: string, networks: readonly string[]): boolean => networks.length > 0 && isInRanges(address, networks);

/** Whether a message may be sent to an address: one of the Internet, or one that is permitted. */
export function mayReach(address: string, networks: readonly string[]): boolean {
  const plain = plainAddress(address.split('%')[0] ?? '');
  const family = isIP(plain);
  if (family === 0) return false;
  if (isPermitted(plain, networks)) return true;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  return !INTERNAL[kind].check(plain, kind) && !ownAddresses().includes(plain);
}

/** An address that must not be reached. */
export class AddressRefused extends Error {
  readonly address: string;

  constructor(address: string) {
    super(`${address} may not be reached`);
    this.name = 'AddressRefused';
    this.address = address;
  }
}

/**
 * Resolves names at the moment of the connection, and refuses a name if one of its addresses is refused: a check before the connection could
 * be answered with another address than the connection.
 */
const guardedLookup = (networks: readonly string[]): LookupFunction => {
  const check = (error: NodeJS.ErrnoException | null, found: LookupAddress[]): Error | undefined => {
    if (error !== null) return error;
    const refused = found.find(({ address }) => !mayReach(address, networks));
    return refused && new AddressRefused(refused.address);
  };
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const failure = check(error, found);
      const [first] = found ?? [];
      if (failure !== undefined || first === undefined) callback(failure ?? new AddressRefused(hostname), '', 0);
      else if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
};

/** As `guardedLookup`, for connections without encryption, which go to permitted networks alone. */
const lookupPermitted =
  (networks: readonly string[]): LookupFunction =>
  (hostname, options, callback) =>
    guardedLookup(networks)(hostname, { ...options, all: true }, (error, found) => {
      const all = Array.isArray(found) ? found : [];
      const foreign = all.find(({ address }) => !isPermitted(address, networks));
      const [first] = all;
      if (error !== null || foreign !== undefined || first === undefined)
        callback(error ?? new AddressRefused(foreign?.address ?? hostname), '', 0);
      else if (options.all) callback(null, all);
      else callback(null, first.address, first.family);
    });

/** Resolves the name of a receiver at the connection. Without encryption, only permitted networks are reached, whatever the name resolves to. */
export const lookupFor = (isEncrypted: boolean, networks: readonly string[]): LookupFunction =>
  isEncrypted ? guardedLookup(networks) : lookupPermitted(networks);

/** An address of a host that may be reached, for clients that take no lookup. Throws `AddressRefused`, or what the name server says. */
export const resolveGuarded = (host: string, isEncrypted: boolean, networks: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) =>
    lookupFor(isEncrypted, networks)(host, {}, (error, address) => (error ? reject(error) : resolve(String(address)))),
  );

export type AddressRefusal = 'address_refused' | 'not_encrypted';

/**
 * Why a host is refused before a connection. Addresses in place of a name never reach the lookup; a name is judged by its addresses, at the
 * connection.
 */
export function refusalOf(
  host: string,
  isEncrypted: boolean,
  networks: readonly string[],
): { failure: AddressRefusal; detail: string | null } | undefined {
  const literal = host.replace(/^\[|\]$/g, '');
  const isAddress = isIP(literal) !== 0;
  if (isAddress && !mayReach(literal, networks)) return { failure: 'address_refused', detail: literal };
  // Without encryption readings would cross foreign networks in the clear.
  if (!isEncrypted && !(isAddress ? isPermitted(literal, networks) : networks.length > 0))
    return { failure: 'not_encrypted', detail: null };
  return undefined;
}
