import type { Context } from '#db/context.ts';
import { DEVICES } from '#db/changes.ts';
import type { Devices } from './devices.ts';
import type { Dialler } from './dialler.ts';
import type { IdentificationBackoff } from './identification-backoff.ts';
import type { PushSenders } from './push-senders.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import { findEndpointsById, findEndpointsOfMeters, type EndpointRow } from './queries.ts';
import type { EndpointSession } from './endpoint-session.ts';
import type { SessionRegistry } from './session-registry.ts';

interface Followers {
  devices: Devices;
  senders: PushSenders;
  deviceState: DeviceStateWriter;
  sessions: SessionRegistry;
  dialler: Dialler;
  backoff: IdentificationBackoff;
}

/** Columns of a row that decide how its device is dialled. */
const DIALLED_BY = ['host', 'port', 'protocol', 'physicalAddress'] as const;

/** Whether direction, address or framing of the connection differ from the changed archive row. */
const isReconfigured = ({ endpoint, direction }: EndpointSession, row: EndpointRow): boolean =>
  direction !== row.connectionType || (direction === 'dial_out' && DIALLED_BY.some((column) => endpoint[column] !== row[column]));

/** Applies changed rows of endpoints to their sessions; an id without a row is that of a deleted endpoint. */
async function applyEndpointChanges(
  { sessions, dialler, backoff }: Followers,
  rows: readonly EndpointRow[],
  ids: readonly string[],
): Promise<void> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { sn } of rows) backoff.clear(sn);
  for (const id of ids) {
    const session = sessions.get(id);
    const row = byId.get(id);
    if (session === undefined) continue;
    if (row === undefined) session.close('unregistered', 'The device was deleted');
    else if (isReconfigured(session, row)) session.close('reconfigured');
    // Changed keys, addresses and limits take effect with the next association.
    else {
      Object.assign(session.endpoint, row);
      session.links.close();
    }
  }
  await dialler.dialDue();
}

async function applyDcuChanges({ pool }: Pick<Context, 'pool'>, followers: Followers, ids: readonly string[]): Promise<void> {
  await applyEndpointChanges(followers, await findEndpointsById(pool, ids), ids);
}

/** Most meters have no connection of their own, and their changes end here. */
async function applyMeterChanges({ pool }: Pick<Context, 'pool'>, followers: Followers, meterIds: readonly string[]): Promise<void> {
  const rows = await findEndpointsOfMeters(pool, meterIds);
  const ids = new Set([...rows.map(({ id }) => id), ...followers.sessions.endpointsOf(meterIds)]);
  if (ids.size > 0) await applyEndpointChanges(followers, rows, [...ids]);
}

/** Applies changes of devices in the archive to the running field engine. Returns a function that stops it. */
export function followChanges(ctx: Pick<Context, 'bus' | 'pool' | 'log'>, followers: Followers): () => void {
  return ctx.bus.subscribe(({ topic, message }) => {
    if (topic !== DEVICES || message.type !== 'device.changed') return;
    const { kind, ids } = message.data;
    if (kind === 'meter') {
      followers.deviceState.discardMeters(ids);
      followers.devices.forget(ids);
      followers.senders.forget();
    }
    const applied = kind === 'meter' ? applyMeterChanges(ctx, followers, ids) : applyDcuChanges(ctx, followers, ids);
    applied.catch((error: unknown) => ctx.log.warn('Changes of connections could not be applied', { error, kind, ids }));
  });
}
