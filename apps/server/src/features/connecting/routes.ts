import { networkInterfaces } from 'node:os';
import { connecting, type Demonstration, type Door } from '@hes/contract/asset/connecting.ts';
import { implement, type Implemented } from '#http/implement.ts';
import type { Who } from '#db/context.ts';
import { isLoopback } from '#platform/address.ts';
import { ApiError } from '#platform/api-error.ts';
import { findProgress, findUnfinished } from './queries.ts';

/** The stored demonstration, and the way to remove it. */
export interface StoredDemonstration {
  /** With the serial numbers of its devices; undefined: the database has none. */
  find(): Promise<(Demonstration & { sns: string[] }) | undefined>;
  /** Begins its removal; without effect while one is in progress. */
  remove(who: Who, reason: string): void;
}

/** The DLMS port as it is configured. */
export interface DlmsDoor {
  host: string;
  port: number;
  tls: Door['tls'];
}

const EVERY_INTERFACE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Addresses at which other machines reach the DLMS port. Link-local addresses are useless to a device in another network. */
function addressesOf(host: string): string[] {
  if (isLoopback(host)) return [];
  if (!EVERY_INTERFACE.has(host)) return [host];
  const every = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return every.filter(({ internal, address }) => !internal && !address.startsWith('fe80:')).map(({ address }) => address);
}

/** Without the serial numbers, of which there are thousands. */
const shown = ({ dcus, meters, state }: Demonstration): Demonstration => ({ dcus, meters, state });

/** The routes of the guided connection of a device. `door` is asked on each call: the port is known once it listens. */
export const connectingRoutes = (door: () => DlmsDoor, demonstration: StoredDemonstration): Implemented[] =>
  implement(connecting, {
    overview: async ({ ctx, user }) => {
      const { host, port, tls } = door();
      const found = await demonstration.find();
      const unfinished = await findUnfinished(ctx.db, user, found?.sns ?? []);
      return { door: { addresses: addressesOf(host), port, tls }, unfinished, demonstration: found === undefined ? null : shown(found) };
    },
    progress: async ({ ctx, user, params, query }) => {
      const found = await findProgress(ctx.db, user, query.kind, params.id);
      if (found === undefined) throw new ApiError('NOT_FOUND');
      return found;
    },
    removeDemonstration: async ({ user, wire, body }) => {
      const found = await demonstration.find();
      if (found === undefined) throw new ApiError('NOTHING_TO_DO');
      demonstration.remove({ user, ip: wire.ip }, body.reason);
      return { ...shown(found), state: 'removing' as const };
    },
  });
