import { PREVIEW_RUNS, type PlanPreview } from '@hes/contract/reading/plan.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { judgeSchedule, SCHEDULE_FAULTS } from '@hes/contract/schedule/check.ts';
import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { nextRuns } from '@hes/contract/schedule/runs.ts';
import { sentenceOf } from '@hes/contract/schedule/sentence.ts';
import type { PlanTarget, PlanType } from '@hes/contract/states/plan.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Context, Db, User } from '#platform/context.ts';
import { estimateOf, type Effort } from './effort.ts';
import { aimedAt } from './queries.ts';

interface Sketch {
  id?: string | undefined;
  type: PlanType;
  schedule: string;
  targetKind: PlanTarget;
  targetIds: string[];
  items: string[];
  lookBackDays: number;
}

/** DCUs shown one by one; the sums are of all. */
const MOST_DCUS = 50;
/** Runs of another plan that are looked at. */
const RUNS_OF_OTHERS = 200;

interface DcuLoad {
  dcuId: string;
  dcuSn: string;
  meters: number;
  parallelMeters: number;
}

async function findLoads(db: Db, user: User, { targetKind, targetIds }: Pick<Sketch, 'targetKind' | 'targetIds'>): Promise<DcuLoad[]> {
  const { rows } = await sql<DcuLoad>`
    select d.id as dcu_id, d.sn as dcu_sn, n.meters, t.parallel_meters
    from (
      select meter.dcu_id, count(*)::int as meters from meter
      where meter.inventory_state <> 'in_warehouse' and meter.dcu_id is not null and ${aimedAt(targetKind, targetIds)} and ${visible('meter.transformerId', user)}
      group by meter.dcu_id
    ) n join dcu d on d.id = n.dcu_id join dcu_type t on t.id = d.dcu_type_id`.execute(db);
  return rows;
}

/** What such work really took, per meter, in the last days; undefined where it was never done. */
async function findMeasured(db: Db, { type, lookBackDays }: Sketch): Promise<(Effort & { sample: number }) | undefined> {
  const isCollected = type !== 'registers' && type !== 'clock_check';
  const kind = isCollected ? 'collect' : 'registers';
  const { rows } = await sql<{ sample: number; seconds: number | null; bytes: number | null }>`
    with recent as (
      select id, case when ${isCollected} then jsonb_array_length(params->'profiles') else 1 end as share from task
      where created_at > now() - interval '3 days' and kind = ${kind}
        and case when ${isCollected} then params->'profiles' @> ${JSON.stringify([type])}::jsonb and (params->>'lookBackDays')::int >= ${lookBackDays} else source = 'plan' end
      order by created_at desc limit 20
    ), items as (
      select i.latency_ms / r.share as ms, i.trace_id, r.share from recent r join task_item i on i.task_id = r.id
      where i.state = 'read_success' and i.trace_id is not null and i.latency_ms > 0 limit 300
    )
    select count(*)::int as sample, (avg(ms) / 1000)::float8 as seconds,
      (select avg(t.bytes / i.share)::float8 from items i join trace t on t.id = i.trace_id) as bytes
    from items`.execute(db);
  const [row] = rows;
  if (row === undefined || row.sample < 3 || row.seconds === null) return undefined;
  return { frames: 0, seconds: row.seconds, bytes: row.bytes ?? 0, sample: row.sample };
}

async function findCollisions(ctx: Context, user: User, sketch: Sketch, own: { loads: DcuLoad[]; runs: number[]; seconds: number }) {
  const now = ctx.clock.now();
  const { rows: others } = await sql<Sketch & { id: string; name: string }>`
    select id, name, type, schedule, target_kind, target_ids::text[] as target_ids, look_back_days from collect_plan
    where enabled and id is distinct from ${sketch.id ?? null} order by id limit 100`.execute(ctx.db);
  const dcus = new Set(own.loads.map((load) => load.dcuId));
  const collisions: PlanPreview['collisions'] = [];
  for (const other of others) {
    // Plans with the same schedule and targets are run together: that saves air time.
    const isTogether =
      other.schedule === sketch.schedule && other.targetKind === sketch.targetKind && sameIds(other.targetIds, sketch.targetIds);
    if (isTogether || own.runs.length === 0) continue;
    const verdict = judgeSchedule(other.schedule, now, ctx.settings.timeZone);
    if (!verdict.ok) continue;
    const runs = nextRuns(verdict.schedule, now, ctx.settings.timeZone, RUNS_OF_OTHERS);
    const at = runs.find((run) => own.runs.some((mine) => Math.abs(run - mine) <= own.seconds * 1000));
    if (at === undefined) continue;
    const shared = (await findLoads(ctx.db, user, other)).filter((load) => dcus.has(load.dcuId)).length;
    if (shared > 0) collisions.push({ planId: other.id, name: other.name, at: new Date(at).toISOString(), dcus: shared });
  }
  return collisions;
}

const sameIds = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join() === b.toSorted().join();

/** Says what a plan would do, before it is saved: nothing is written, no device is asked. */
export async function previewPlan(ctx: Context, user: User, sketch: Sketch, locale: Locale): Promise<PlanPreview> {
  const now = ctx.clock.now();
  const verdict = judgeSchedule(sketch.schedule, now, ctx.settings.timeZone, true);
  const runs = verdict.ok ? nextRuns(verdict.schedule, now, ctx.settings.timeZone, PREVIEW_RUNS) : [];
  const [loads, measured] = await Promise.all([findLoads(ctx.db, user, sketch), findMeasured(ctx.db, sketch)]);
  const estimated = estimateOf(sketch);
  const effort = measured === undefined ? estimated : { ...measured, frames: estimated.frames };
  const perDcu = loads
    .map(({ dcuId, dcuSn, meters, parallelMeters }) => ({
      dcuId,
      dcuSn,
      meters,
      seconds: Math.ceil((meters * effort.seconds) / parallelMeters),
      bytes: Math.round(meters * effort.bytes),
    }))
    .toSorted((a, b) => b.seconds - a.seconds);
  const meters = loads.reduce((sum, load) => sum + load.meters, 0);
  const seconds = perDcu[0]?.seconds ?? 0;
  return {
    isValid: verdict.ok,
    fault: verdict.ok ? null : { fault: verdict.fault, field: verdict.field, message: say(SCHEDULE_FAULTS[verdict.fault], locale) },
    next: runs.map((run) => new Date(run).toISOString()),
    sentence: verdict.ok ? say(sentenceOf(parseSchedule(sketch.schedule)), locale) : null,
    cost: {
      meters,
      dcus: loads.length,
      frames: Math.round(meters * effort.frames),
      bytes: Math.round(meters * effort.bytes),
      seconds,
      basis: measured === undefined ? 'estimated' : 'measured',
      sample: measured?.sample ?? 0,
      perDcu: perDcu.slice(0, MOST_DCUS),
    },
    collisions: await findCollisions(ctx, user, sketch, { loads, runs, seconds }),
  };
}
