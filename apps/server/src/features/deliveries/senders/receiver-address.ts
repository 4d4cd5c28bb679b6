import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isInRanges, plainAddress } from '#platform/address-ranges.ts';

/** Networks that a request of the head-end must not enter unless they are permitted: an administrator could read services behind the firewall by it. */
const INTERNAL = new BlockList();
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
  INTERNAL.addSubnet(network, bits, 'ipv4');
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
  INTERNAL.addSubnet(network, bits, 'ipv6');

const ownAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);

/** Whether an address is in a network that the setting HES_DELIVERY_NETWORKS permits. */
export const isPermitted = (address: string, networks: readonly string[]): boolean => networks.length > 0 && isInRanges(address, networks);

/** Whether a message may be sent to an address: one of the Internet, or one that is permitted. */
export function mayReach(address: string, networks: readonly string[]): boolean {
  const plain = plainAddress(address.split('%')[0] ?? '');
  const family = isIP(plain);
  if (family === 0) return false;
  if (isPermitted(plain, networks)) return true;
  return !INTERNAL.check(plain, family === 6 ? 'ipv6' : 'ipv4') && !ownAddresses().includes(plain);
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
export const guardedLookup = (networks: readonly string[]): LookupFunction => {
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
