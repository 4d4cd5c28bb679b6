import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { findApdus } from './queries.ts';
import { checkDcus } from './service.ts';

/** The simulator's control door and its secret; undefined: there is none, as on every real head-end. */
export type SimulatorDoor = () => { port: number; secret: string } | undefined;

interface Played {
  devices: number;
  answers: number;
}

async function ask({ port, secret }: { port: number; secret: string }, method: 'POST' | 'DELETE', body?: object): Promise<Played> {
  const answer = await fetch(`http://127.0.0.1:${port}/replay`, {
    method,
    headers: { authorization: `Bearer ${secret}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // The simulator is there and knows none of these devices: they are real ones.
  if (!answer.ok) throw new ApiError('NOTHING_TO_DO');
  return (await answer.json()) as Played; // as: what its door says
}

/** Hands what was captured to the simulator, device by device, so that a problem of the field can be looked at again. */
export async function replay(
  ctx: Context,
  { user, ip }: Who,
  order: { dcuId: string; isOn: boolean; meter?: string | undefined },
  doorOf: SimulatorDoor,
): Promise<Played> {
  const { dcuId, isOn, meter } = order;
  await checkDcus(ctx, user, [dcuId]);
  const door = doorOf();
  if (door === undefined) throw new ApiError('NO_SIMULATOR');
  const entry = {
    userId: user.id,
    action: 'dcu_log_replayed',
    entity: 'dcu',
    entityId: dcuId,
    detail: { isOn, meter: meter ?? null },
    ip,
  } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  if (!isOn) {
    await ask(door, 'DELETE');
    return { devices: 0, answers: 0 };
  }
  const apdus = await findApdus(ctx.db, dcuId, meter);
  if (apdus.length === 0) throw new ApiError('NOTHING_TO_DO');
  const devices = [...Map.groupBy(apdus, ({ sn }) => sn)].map(([sn, session]) => ({
    sn,
    session: session.map(({ direction, apdu }) => ({ direction, hex: apdu.toString('hex') })),
  }));
  return ask(door, 'POST', { devices });
}
