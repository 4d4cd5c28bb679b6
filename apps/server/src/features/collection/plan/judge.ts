import type { PlanFields } from '@hes/contract/reading/plan.ts';
import { judgeSchedule, type ScheduleVerdict } from '@hes/contract/schedule/check.ts';
import { secondsBetweenRuns } from '@hes/contract/schedule/period.ts';

/** Whether a plan with this schedule can be saved: a task of a DCU needs a fixed period. */
export function judgePlan(
  { schedule, execution }: Pick<PlanFields, 'schedule' | 'execution'>,
  now: number,
  timeZone: string,
): ScheduleVerdict {
  const verdict = judgeSchedule(schedule, now, timeZone, true);
  const isPossible = !verdict.ok || execution !== 'dcu_task' || secondsBetweenRuns(verdict.schedule, now, timeZone) !== undefined;
  return isPossible ? verdict : { ok: false, fault: 'notPeriodic', field: 'day', expression: schedule };
}
