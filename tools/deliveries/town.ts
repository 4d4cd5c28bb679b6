import { setTimeout as wait } from 'node:timers/promises';
import { sealAsFound } from '../../apps/server/src/db/right-seals.ts';
import type { Who } from '../../apps/server/src/db/context.ts';
import { audienceOf } from '../../apps/server/src/features/deliveries/port.ts';
import { createSender } from '../../apps/server/src/features/deliveries/senders/service.ts';
import { createTask } from '../../apps/server/src/tasks/create-task.ts';
import { FEED_KINDS, type FeedKind } from '../../packages/contract/src/delivery/feed.ts';
import { retryWhileDown, type KillableProduct } from '../chaos/killable-product.ts';
import type { Receiver } from './receiver.ts';

const DAY_MS = 86_400_000;
const ORDERED = ['lpa', 'lpb', 'energy', 'daily'] as const;
/** Profiles whose slots the judge compares one by one. */
const PROFILES = ['lpa', 'lpb', 'energy'];
const CHANGE_EVERY_MS = 60;
const ORDER_EVERY_MS = 1200;
/** Looks for the first stored profile, one for each order. */
const READ_LOOKS = 200;

/** A user who may see everything, since senders are added in the name of one. */
export async function addUser({ ctx }: Pick<KillableProduct, 'ctx'>): Promise<Who> {
  const { rows } = await ctx.pool.query<{ id: string }>(
    "insert into app_user (username, name, password_hash, must_change_password) values ('proof', 'proof', 'none', false) returning id",
  );
  const id = rows[0]?.id ?? '';
  await ctx.db.transaction().execute((tx) => sealAsFound(tx, [{ kind: 'user', id }]));
  return { ip: '127.0.0.1', user: { ...audienceOf([]), id, username: 'proof', name: 'proof' } };
}

/** Adds a sender of all contents for each receiver. */
export async function addSenders({ ctx }: KillableProduct, who: Who, receivers: readonly Receiver[]): Promise<void> {
  for (const { name, sender } of receivers) await createSender(ctx, who, { name, contents: [...FEED_KINDS], levelIds: [], ...sender });
}

interface Meter {
  id: string;
  sn: string;
  dcuId: string;
}

export const findMeters = async ({ ctx }: KillableProduct): Promise<Meter[]> =>
  (await ctx.pool.query<Meter>('select id, sn, dcu_id as "dcuId" from meter order by sn')).rows;

/** Changes master data and orders readings until it is told to stop. Failures of a database that is down are retried. */
export async function work(product: KillableProduct, who: Who, next: () => number, isOver: () => boolean): Promise<void> {
  const meters = await findMeters(product);
  const { ctx } = product;
  const change = async (): Promise<void> => {
    for (let n = 0; !isOver(); n++) {
      const meter = meters[Math.floor(next() * meters.length)];
      await retryWhileDown(() => ctx.pool.query('update meter set customer_no = $2 where id = $1', [meter?.id, `C-${n}`]));
      await wait(CHANGE_EVERY_MS);
    }
  };
  const order = async (): Promise<void> => {
    for (let n = 0; !isOver(); n++) {
      const day = new Date(Date.now() - (2 + n) * DAY_MS).toISOString().slice(0, 10);
      const kind = ORDERED[n % ORDERED.length] ?? 'lpa';
      await retryWhileDown(() =>
        createTask(ctx.db, {
          kind,
          source: 'user',
          params: { from: day, to: day, store: true, source: 'meter' },
          createdBy: who.user.id,
          items: meters.map(({ id: meterId, dcuId }) => ({ deviceKind: 'meter', dcuId, meterId })),
        }),
      );
      await wait(ORDER_EVERY_MS);
    }
  };
  await Promise.all([change(), order()]);
}

/** Resolves when a profile was stored, or after a while: a proof without readings would show nothing about them. */
export async function untilRead({ ctx }: KillableProduct): Promise<void> {
  for (let n = 0; n < READ_LOOKS; n++) {
    const { rowCount } = await retryWhileDown(() =>
      ctx.pool.query('select from reading_profile where profile = any($1) limit 1', [PROFILES]),
    );
    if (rowCount === 1) return;
    await wait(ORDER_EVERY_MS);
  }
}

/** Whether all orders have ended. */
export async function isIdle({ ctx }: KillableProduct): Promise<boolean> {
  const { rows } = await retryWhileDown(() =>
    ctx.pool.query<{ open: number }>("select count(*)::int as open from task_item where state in ('waiting', 'reading')"),
  );
  return rows[0]?.open === 0;
}

/** Makes senders on a schedule due again, and those that wait after a failure retry now: the proof does not wait for the clock. */
export async function hasten({ ctx }: KillableProduct): Promise<void> {
  await retryWhileDown(() =>
    ctx.pool.query(`update sender set last_run_at = now() - interval '1 day', attempts = (
      select coalesce(jsonb_object_agg(key, value || '{"retryAt":0}'), '{}') from jsonb_each(attempts))
      where kind in ('folder', 'sftp') or failures > 0`),
  );
}

/** Entries of the outbox, and stored slots of profiles that were read. */
export async function findTruth({ ctx }: KillableProduct): Promise<{ announced: Set<string>; slots: Set<string> }> {
  const entries = await ctx.pool.query<{ kind: FeedKind; id: string }>(
    "select o.kind, o.id || '-' || (n - 1) as id from outbox o cross join lateral generate_series(1, cardinality(o.ids)) as n",
  );
  const slots = await ctx.pool.query<{ sn: string; ts: Date }>(
    `select m.sn, (r.day::timestamp at time zone 'UTC') + make_interval(secs => r.lead_s + (u.slot - 1) * r.period_s) as ts
    from reading_profile r join meter m on m.id = r.meter_id cross join lateral unnest(r.status) with ordinality as u (status, slot)
    where u.status is not null and r.profile = any($1)`,
    [PROFILES],
  );
  return {
    announced: new Set(entries.rows.map(({ kind, id }) => `${kind} ${id}`)),
    slots: new Set(slots.rows.map(({ sn, ts }) => `${sn} ${ts.toISOString()}`)),
  };
}
