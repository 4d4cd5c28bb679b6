import type { Context } from '../../apps/server/src/db/context.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { runDuePlans } from '../../apps/server/src/features/collection/schedule/plans.ts';
import { queueDueRefills } from '../../apps/server/src/features/collection/schedule/refill-queries.ts';
import { findPlannedGaps } from '../../apps/server/src/features/collection/schedule/refills.ts';
import { TIME_ZONE } from '../../apps/simulator/src/world/calendar.ts';
import { Random } from '../fuzz/random.ts';
import { say } from '../lib/say.mjs';
import { dumpReadings, noteSlots } from './dump.ts';
import { FastForward, untilIdle, untilOnline } from './fast-forward.ts';
import type { History } from './history.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const METERS_PER_DCU = 82;
const LOOK_BACK_DAYS = 7;
/** Younger slots may still be in collection. */
const GRACE_MS = 30 * MINUTE_MS;
/** One in this many: meters that never respond, and DCUs that are offline at any time. */
const SILENT_ONE_IN = 200;
const AWAY_ONE_IN = 20;
/** Maximum number of runs that a DCU stays offline. */
const AWAY_RUNS = 6;
/** One meter in this many is compared with the truth, value by value. */
const SAMPLED = 50;
const GAPS_EVERY_RUNS = 6;

export interface DaysRun {
  days: number;
  meters: number;
  /** Simulated minutes between runs. */
  everyMinutes: number;
  seed: number;
  tell: History;
}

/** Logs the progress. */
async function tellProgress({ pool, clock }: Context, run: string, away: number): Promise<void> {
  const { rows } = await pool.query<{ days: number }>('select count(*)::int as days from reading_profile');
  say(`${run}: ${new Date(clock.now()).toISOString()}, ${away} DCUs away, ${rows[0]?.days} days of profiles stored`);
}

/** Simulates days of collection at the speed of the work, then counts the stored slots against the expected ones. */
export async function passDays({ days, meters, everyMinutes, seed: worldSeed, tell }: DaysRun): Promise<void> {
  const dcus = Math.ceil(meters / METERS_PER_DCU);
  const scale = `${dcus}x${Math.ceil(meters / dcus)}`;
  const product = new FastForward();
  try {
    const ctx = await product.start({ scale, worldSeed, timeZone: TIME_ZONE });
    tell({ t: 'begin', seed: worldSeed, scale, at: ctx.clock.now() });
    await untilOnline(ctx);
    const { pool } = ctx;
    const sns = (await pool.query<{ sn: string }>('select sn from meter order by sn')).rows.map(({ sn }) => sn);
    const dcuSns = (await pool.query<{ sn: string }>('select sn from dcu order by sn')).rows.map(({ sn }) => sn);
    const silent = sns.filter((_sn, index) => index % SILENT_ONE_IN === SILENT_ONE_IN / 2);
    for (const target of silent) await product.field('POST', '/fault', { target, kind: 'silence' });
    await pool.query("update collect_plan set enabled = true, next_run_at = null, schedule = '0 0/15 * * * ? *'");
    const random = new Random(worldSeed);
    const away = new Map<string, number>();
    const runs = Math.ceil((days * DAY_MS) / (everyMinutes * MINUTE_MS));
    for (let run = 0; run < runs; run++) {
      // In the last runs all DCUs are online.
      await changeOutages(product, { away, dcuSns, random, run, isOver: run >= runs - 2 });
      await product.pass(everyMinutes * MINUTE_MS);
      await runDuePlans(ctx);
      await untilIdle(ctx);
      if (run % GAPS_EVERY_RUNS === GAPS_EVERY_RUNS - 1) {
        await findPlannedGaps(ctx);
        await queueDueRefills(ctx);
        await untilIdle(ctx);
      }
      await tellProgress(ctx, `run ${run + 1} of ${runs}`, away.size);
    }
    await untilOnline(ctx);
    await product.pass(everyMinutes * MINUTE_MS);
    await runDuePlans(ctx);
    await untilIdle(ctx);
    await findPlannedGaps(ctx);
    const now = ctx.clock.now();
    const zone = new Zone(ctx.settings.timeZone);
    const from = zone.startOf(zone.dayOf(now) - LOOK_BACK_DAYS + 1);
    await noteSlots(pool, tell, { from, to: now - GRACE_MS, timeZone: ctx.settings.timeZone, unreachable: new Set(silent) });
    tell({ t: 'end', at: now });
    await dumpReadings(pool, tell, SAMPLED);
  } finally {
    await product.stop();
  }
}

interface Outages {
  /** Offline DCUs, by the run of their return. */
  away: Map<string, number>;
  dcuSns: readonly string[];
  random: Random;
  run: number;
  isOver: boolean;
}

/** Takes DCUs offline for some hours and reconnects them. */
async function changeOutages(product: FastForward, { away, dcuSns, random, run, isOver }: Outages): Promise<void> {
  for (const [sn, until] of away) {
    if (run < until && !isOver) continue;
    await product.field('DELETE', `/fault?target=${sn}&kind=absent`);
    away.delete(sn);
  }
  if (isOver) return;
  for (const sn of dcuSns) {
    if (away.has(sn) || random.below(AWAY_ONE_IN) !== 0) continue;
    await product.field('POST', '/fault', { target: sn, kind: 'absent' });
    await product.field('POST', `/dcu/${sn}/disconnect`);
    away.set(sn, run + 1 + random.below(AWAY_RUNS));
  }
}
