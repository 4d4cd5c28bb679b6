import { networkInterfaces } from 'node:os';
import { connecting, type Demonstration, type Door } from '@hes/contract/asset/connecting.ts';
import { implement, type Implemented } from '#http/implement.ts';
import type { Who } from '#db/context.ts';
import { isLoopback } from '#platform/address.ts';
import { ApiError } from '#platform/api-error.ts';
import { findProgress, findUnfinished } from './queries.ts';

/** The stored demonstration, and the way to remove it. */
export interface StoredDemonstration {
  /** Undefined: the database has none. */
  find(): Promise<Demonstration | undefined>;
  /** Serial numbers of its devices. */
  sns(): Promise<string[]>;
  /** Begins its removal; resolves when it has begun. */
  remove(who: Who, reason: string): Promise<void>;
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

/** The routes of the guided connection of a device. `door` is asked on each call: the port is known once it listens. */
export const connectingRoutes = (door: () => DlmsDoor, demonstration: StoredDemonstration): Implemented[] =>
  implement(connecting, {
    overview: async ({ ctx, user }) => {
      const { host, port, tls } = door();
      const unfinished = await findUnfinished(ctx.db, user, await demonstration.sns());
      return { door: { addresses: addressesOf(host), port, tls }, unfinished, demonstration: (await demonstration.find()) ?? null };
    },
    progress: async ({ ctx, user, params, query }) => {
      const found = await findProgress(ctx.db, user, query.kind, params.id);
      if (found === undefined) throw new ApiError('NOT_FOUND');
      return found;
    },
    removeDemonstration: async ({ user, wire, body }) => {
      if ((await demonstration.find()) === undefined) throw new ApiError('NOTHING_TO_DO');
      await demonstration.remove({ user, ip: wire.ip }, body.reason);
      const found = await demonstration.find();
      if (found === undefined) throw new ApiError('NOTHING_TO_DO');
      return found;
    },
  });
