import type { Context } from '#db/context.ts';
import { DEVICES } from '#db/device-changes.ts';
import type { Devices } from './devices.ts';
import type { Dialler } from './dialler.ts';
import type { HeldNames } from './held-names.ts';
import type { PushSenders } from './push-senders.ts';
import type { Presence } from './presence.ts';
import { findDcusById, type DcuRow } from './queries.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

interface Followers {
  devices: Devices;
  senders: PushSenders;
  presence: Presence;
  sessions: Sessions;
  dialler: Dialler;
  held: HeldNames;
}

/** Whether a session was made under other terms than these: who dials, and where. */
const isElsewhere = ({ dcu, direction }: Session, row: DcuRow): boolean =>
  direction !== row.connectionType || (direction === 'dial_out' && (dcu.host !== row.host || dcu.port !== row.port));

async function takeOverDcus(ctx: Pick<Context, 'pool'>, { sessions, dialler, held }: Followers, ids: readonly string[]): Promise<void> {
  const rows = new Map((await findDcusById(ctx.pool, ids)).map((row) => [row.id, row]));
  for (const { sn } of rows.values()) held.forget(sn);
  for (const id of ids) {
    const session = sessions.get(id);
    const row = rows.get(id);
    if (session === undefined) continue;
    if (row === undefined) session.close('unregistered', 'It was deleted');
    else if (isElsewhere(session, row)) session.close('reconfigured');
    // Keys, addresses and limits hold from the next association on.
    else {
      Object.assign(session.dcu, row);
      session.links.close();
    }
  }
  await dialler.look();
}

/** Takes over what people change about devices while the field engine runs. Returns the way to stop. */
export function followChanges(ctx: Pick<Context, 'bus' | 'pool' | 'log'>, followers: Followers): () => void {
  return ctx.bus.subscribe(
    ({ topic, message }) => {
      if (topic !== DEVICES || message.type !== 'device.changed') return;
      const { kind, ids } = message.data;
      if (kind === 'meter') {
        followers.presence.forget(ids);
        followers.devices.forget(ids);
        followers.senders.forget();
        return;
      }
      takeOverDcus(ctx, followers, ids).catch((error: unknown) => ctx.log.warn('Changed DCUs were not taken over', { error, ids }));
    },
    (topic) => topic === DEVICES,
  );
}
