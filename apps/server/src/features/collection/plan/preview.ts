import { PREVIEW_RUNS, type PlanPreview } from '@hes/contract/reading/plan.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { judgeSchedule, SCHEDULE_FAULTS } from '@hes/contract/schedule/check.ts';
import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { nextRuns } from '@hes/contract/schedule/runs.ts';
import { sentenceOf } from '@hes/contract/schedule/sentence.ts';
import type { Context, User } from '#db/context.ts';
import { estimateOf } from './effort.ts';
import { judgePlan } from './judge.ts';
import { findLoads, findMeasured, findOthers, type DcuLoad, type Sketch } from './preview-queries.ts';

/** Number of DCUs that are listed; the sums include all. */
const MOST_DCUS = 50;
/** Number of future runs of each other plan that the preview reads. */
const RUNS_OF_OTHERS = 200;

async function findCollisions(ctx: Context, user: User, sketch: Sketch, own: { loads: DcuLoad[]; runs: number[]; seconds: number }) {
  const now = ctx.clock.now();
  const others = await findOthers(ctx.db, sketch.id);
  const dcus = new Set(own.loads.map((load) => load.dcuId));
  const collisions: PlanPreview['collisions'] = [];
  for (const other of others) {
    // Plans with the same schedule and targets share an association.
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

/** Previews a plan before it is saved. Writes nothing and contacts no device. */
export async function previewPlan(ctx: Context, user: User, sketch: Sketch, locale: Locale): Promise<PlanPreview> {
  const now = ctx.clock.now();
  const verdict = judgePlan(sketch, now, ctx.settings.timeZone);
  const runs = verdict.ok ? nextRuns(verdict.schedule, now, ctx.settings.timeZone, PREVIEW_RUNS) : [];
  const [loads, measured] = await Promise.all([findLoads(ctx.db, user, sketch), findMeasured(ctx.db, sketch)]);
  const estimated = estimateOf(sketch);
  const effort = measured === undefined ? estimated : { ...measured, frames: estimated.frames };
  const perDcu = loads
    .map(({ dcuId, dcuSn, meters, parallelMeters }) => ({
      dcuId,
      dcuSn,
      meters,
      // Cached rows come in the response of the DCU, without parallel meters.
      seconds: Math.ceil((meters * effort.seconds) / (sketch.execution === 'dcu_task' ? 1 : parallelMeters)),
      bytes: Math.round(meters * effort.bytes),
    }))
    .toSorted((a, b) => b.seconds - a.seconds);
  const meters = loads.reduce((sum, load) => sum + load.meters, 0);
  const seconds = perDcu[0]?.seconds ?? 0;
  return {
    isValid: verdict.ok,
    fault: verdict.ok ? null : { fault: verdict.fault, field: verdict.field, message: say(SCHEDULE_FAULTS[verdict.fault], locale) },
    next: runs.map((run) => new Date(run).toISOString()),
    sentence: verdict.ok ? sentenceOf(parseSchedule(sketch.schedule), locale) : null,
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
