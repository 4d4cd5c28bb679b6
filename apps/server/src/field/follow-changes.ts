import type { Context } from '#db/context.ts';
import { DEVICES } from '#db/device-changes.ts';
import type { Devices } from './devices.ts';
import type { Dialler } from './dialler.ts';
import type { IdentificationBackoff } from './identification-backoff.ts';
import type { PushSenders } from './push-senders.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import { findEndpointsById, type EndpointRow } from './queries.ts';
import type { DcuSession } from './dcu-session.ts';
import type { DcuSessionRegistry } from './dcu-session-registry.ts';

interface Followers {
  devices: Devices;
  senders: PushSenders;
  deviceState: DeviceStateWriter;
  sessions: DcuSessionRegistry;
  dialler: Dialler;
  backoff: IdentificationBackoff;
}

/** Whether direction or address of the connection differ from the changed archive row. */
const isReconfigured = ({ dcu, direction }: DcuSession, row: EndpointRow): boolean =>
  direction !== row.connectionType || (direction === 'dial_out' && (dcu.host !== row.host || dcu.port !== row.port));

async function applyDcuChanges(
  ctx: Pick<Context, 'pool'>,
  { sessions, dialler, backoff }: Followers,
  ids: readonly string[],
): Promise<void> {
  const rows = new Map((await findEndpointsById(ctx.pool, ids)).map((row) => [row.id, row]));
  for (const { sn } of rows.values()) backoff.clear(sn);
  for (const id of ids) {
    const session = sessions.get(id);
    const row = rows.get(id);
    if (session === undefined) continue;
    if (row === undefined) session.close('unregistered', 'The DCU was deleted');
    else if (isReconfigured(session, row)) session.close('reconfigured');
    // Changed keys, addresses and limits take effect with the next association.
    else {
      Object.assign(session.dcu, row);
      session.links.close();
    }
  }
  await dialler.dialDue();
}

/** Applies changes of devices in the archive to the running field engine. Returns a function that stops it. */
export function followChanges(ctx: Pick<Context, 'bus' | 'pool' | 'log'>, followers: Followers): () => void {
  return ctx.bus.subscribe(
    ({ topic, message }) => {
      if (topic !== DEVICES || message.type !== 'device.changed') return;
      const { kind, ids } = message.data;
      if (kind === 'meter') {
        followers.deviceState.discardMeters(ids);
        followers.devices.forget(ids);
        followers.senders.forget();
        return;
      }
      applyDcuChanges(ctx, followers, ids).catch((error: unknown) => ctx.log.warn('Changes of DCUs could not be applied', { error, ids }));
    },
    (topic) => topic === DEVICES,
  );
}
