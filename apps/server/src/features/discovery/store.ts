import type { DiscoveryRun } from '@hes/contract/asset/discovery.ts';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { sql } from 'kysely';
import { findDiscovered, findRun } from './found-queries.ts';
import type { Context, Db } from '#db/context.ts';
import type { FoundMeter } from '#southbound/dcu-parts.ts';

type StoreContext = Pick<Context, 'db' | 'bus' | 'clock' | 'log'>;

/** Stores the discoveries of a DCU. Returns the serial numbers that are new or were seen again. */
export async function storeFound(ctx: StoreContext, run: { id: string; dcuId: string }, found: readonly FoundMeter[]): Promise<string[]> {
  const last = new Map(found.map((meter) => [meter.sn, meter]));
  const meters = [...last.values()];
  if (meters.length === 0) return [];
  const stored = await sql<{ sn: string }>`
    insert into discovered_meter as h (run_id, dcu_id, sn, address, protocol, comm_mode, phase, hops, signal_value, first_seen, last_seen)
    select ${run.id}, ${run.dcuId}, * from unnest(${meters.map((m) => m.sn)}::text[], ${meters.map((m) => m.address)}::text[], ${meters.map((m) => m.protocol)}::text[],
      ${meters.map((m) => m.communicationMode)}::text[], ${meters.map((m) => m.phase)}::text[], ${meters.map((m) => m.hops)}::int[], ${meters.map((m) => m.signal)}::int[],
      ${meters.map((m) => m.firstSeen)}::timestamptz[], ${meters.map((m) => m.lastSeen)}::timestamptz[])
    on conflict (dcu_id, sn) do update set run_id = excluded.run_id, address = excluded.address, protocol = excluded.protocol, comm_mode = excluded.comm_mode,
      phase = excluded.phase, hops = excluded.hops, signal_value = excluded.signal_value, last_seen = excluded.last_seen, times_seen = h.times_seen + 1
    where h.last_seen < excluded.last_seen
    returning h.sn`.execute(ctx.db);
  return stored.rows.map((row) => row.sn);
}

export async function updateRun(
  ctx: StoreContext,
  id: string,
  change: { state?: DiscoveryRun['state']; found?: number; reasonCode?: ReasonCode | null; polled?: boolean },
): Promise<void> {
  const now = new Date(ctx.clock.now());
  const { polled, ...columns } = change;
  const hasEnded = change.state === 'finished' || change.state === 'failed';
  await ctx.db
    .updateTable('discoveryRun')
    .set({ ...columns, ...(polled === true ? { lastPollAt: now } : {}), ...(hasEnded ? { endedAt: now } : {}) })
    .where('id', '=', id)
    .execute();
}

/** The search of a task item, with its mode and its state. */
export const findRunOfTask = (ctx: StoreContext, taskId: string, dcuId: string) =>
  ctx.db
    .selectFrom('discoveryRun')
    .where('taskId', '=', taskId)
    .where('dcuId', '=', dcuId)
    .select(['id', 'dcuId', 'mode', 'state', 'endsAt', 'pollSeconds', 'found'])
    .executeTakeFirst();

export const findMetersToIdentify = (db: Db, dcuId: string, ids: readonly string[]) =>
  db
    .selectFrom('discoveredMeter')
    .where('dcuId', '=', dcuId)
    .where('id', 'in', ids)
    .select(['id', 'runId', 'sn', 'address'])
    .orderBy('id')
    .execute();

export async function storeNameplate(db: Db, id: string, nameplate: { logicalDeviceName: string; readAt: string }): Promise<void> {
  await db
    .updateTable('discoveredMeter')
    .set({ nameplate: JSON.stringify(nameplate) })
    .where('id', '=', id)
    .execute();
}

/** Publishes the state of a search and its new discoveries to open consoles. */
export async function publishFound(ctx: StoreContext, dcuId: string, runId: string, sns: readonly string[]): Promise<void> {
  try {
    const run = await findRun(ctx.db, runId);
    if (run === undefined) return;
    const items =
      sns.length === 0
        ? []
        : await findDiscovered(ctx.db, sql`h.dcu_id = ${dcuId} and h.sn = any(${[...sns]}::text[])`, sql`order by h.sn`);
    ctx.bus.publish(`discovery:${dcuId}`, {
      type: 'discovery.found',
      ts: new Date(ctx.clock.now()).toISOString(),
      id: dcuId,
      data: { run, items },
    });
  } catch (error) {
    // The console requests the list again.
    ctx.log.warn('Discovered meters could not be published', { error, dcuId });
  }
}
