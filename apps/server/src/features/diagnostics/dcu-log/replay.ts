import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { findApdus } from './queries.ts';
import { checkDcus } from './service.ts';

/** Port and secret of the simulator's control API; undefined without a simulator, as in production. */
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
  // The simulator rejects devices that it does not simulate.
  if (!answer.ok) throw new ApiError('NOTHING_TO_DO');
  return (await answer.json()) as Played; // as: the response of the control API
}

/** Sends captured APDUs to the simulator by device, to reproduce a problem from the field. */
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
