import { Zone } from '@hes/contract/schedule/zone.ts';
import { runDuePlans } from '../../apps/server/src/features/collection/schedule/plans.ts';
import { findPlannedGaps } from '../../apps/server/src/features/collection/schedule/refills.ts';
import { dump, noteSlots } from './dump.ts';
import { FastForward, untilIdle, untilOnline } from './fast-forward.ts';
import type { History } from './history.ts';

/** Nights with a clock change, forward and back: at two o'clock, in a zone with a half-hour offset, and at midnight. */
const CHANGES = [
  { timeZone: 'Europe/Berlin', at: '2027-03-28T01:00:00Z' },
  { timeZone: 'Europe/Berlin', at: '2026-10-25T01:00:00Z' },
  { timeZone: 'America/St_Johns', at: '2027-03-14T05:30:00Z' },
  { timeZone: 'America/St_Johns', at: '2026-11-01T04:30:00Z' },
  { timeZone: 'Asia/Tehran', at: '2022-03-21T20:30:00Z' },
  { timeZone: 'Asia/Tehran', at: '2022-09-21T19:30:00Z' },
] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;
const SCALE = '2x12';
const BEFORE_HOURS = 30;
const AFTER_HOURS = 30;
/** Hours around the change that are simulated in small steps. */
const CLOSE_HOURS = 4;
const LOOK_BACK_DAYS = 7;
const GRACE_MS = 30 * MINUTE_MS;
/** The plan whose time the change skips or repeats. */
const NIGHTLY = 'daily';

/** F21: collection continues through a night with a clock change of the meters and the utility. */
export async function passChange(seed: number, worldSeed: number, tell: History): Promise<void> {
  const { timeZone, at } = CHANGES[(seed - 1) % CHANGES.length] ?? CHANGES[0];
  const change = Date.parse(at);
  const zone = new Zone(timeZone);
  const jumpMs = zone.offsetMs(change) - zone.offsetMs(change - 1);
  if (jumpMs === 0) throw new Error(`No clock changes in ${timeZone} at ${at}`);
  // Half an hour into the skipped or repeated time.
  const skippedOrTwice = change + zone.offsetMs(change - 1) + (Math.sign(jumpMs) * HOUR_MS) / 2;
  const minute = Math.floor(skippedOrTwice / MINUTE_MS) % DAY_MINUTES;
  const product = new FastForward();
  try {
    const ctx = await product.start({ scale: SCALE, worldSeed, timeZone, beginsAt: change - BEFORE_HOURS * HOUR_MS });
    const { pool, clock } = ctx;
    const from = clock.now();
    tell({ t: 'begin', seed: worldSeed, scale: SCALE, at: from, timeZone });
    tell({ t: 'fault', kind: 'summer-time', seed, targets: [`${timeZone} ${at}`] });
    await untilOnline(ctx);
    await pool.query(
      `update collect_plan set enabled = true, next_run_at = null,
         schedule = case when type = $1 then $2 else '0 0/15 * * * ? *' end`,
      [NIGHTLY, `0 ${minute % 60} ${Math.floor(minute / 60)} * * ? *`],
    );
    while (clock.now() < change + AFTER_HOURS * HOUR_MS) {
      const isClose = Math.abs(clock.now() - change) < CLOSE_HOURS * HOUR_MS;
      await product.pass((isClose ? 1 : 2) * HOUR_MS);
      await runDuePlans(ctx);
      await untilIdle(ctx);
    }
    await findPlannedGaps(ctx);
    const now = clock.now();
    const runs = await pool.query<{ at: Date }>(
      `select r.at from plan_run r join collect_plan p on p.id = r.plan_id where p.type = $1 and r.trigger = 'schedule' order by r.at`,
      [NIGHTLY],
    );
    tell({ t: 'runs', plan: NIGHTLY, minute, from, to: now, at: runs.rows.map((run) => run.at.getTime()) });
    const begins = zone.startOf(zone.dayOf(from) - LOOK_BACK_DAYS + 1);
    await noteSlots(pool, tell, { from: begins, to: now - GRACE_MS, timeZone, unreachable: new Set() });
    await dump(pool, tell, now);
  } finally {
    await product.stop();
  }
}
