import type { Text } from '../core/text.ts';
import { parseSchedule, ScheduleError, type Schedule, type ScheduleField } from './expression.ts';
import { nextRun } from './runs.ts';
import { MODE, PLAIN_UNITS, type ScheduleSettings } from './settings.ts';

const faults = <const T extends Record<string, Text>>(table: T): T => table;

/** Reasons why a schedule cannot be saved. */
export const SCHEDULE_FAULTS = faults({
  unreadable: { en: 'This is not a valid schedule', zh: '执行计划格式不正确' },
  startAfterEnd: { en: 'The start must not be after the end', zh: '起始值不能大于结束值' },
  zeroInterval: { en: 'The interval must be at least 1', zh: '间隔必须至少为1' },
  zeroStart: { en: 'There is no month 0', zh: '月份不能从0开始' },
  noRun: { en: 'The schedule has no next run', zh: '没有下次执行时间，该计划永远不会执行' },
  tooOften: { en: 'Runs must be at least 60 s apart: choose a single second', zh: '两次执行至少间隔60秒，请只选择一个秒值' },
  notPeriodic: {
    en: 'A task of a DCU needs a constant period: a number of days, hours or quarters of an hour',
    zh: '集中器任务只能按固定周期执行：固定的天数、小时数或15分钟的整数倍',
  },
});
export type ScheduleFault = keyof typeof SCHEDULE_FAULTS;

export interface ScheduleRefusal {
  fault: ScheduleFault;
  field: ScheduleField;
}

/** First invalid setting of a schedule builder; undefined if all are valid. */
export function faultIn(settings: ScheduleSettings): ScheduleRefusal | undefined {
  for (const unit of PLAIN_UNITS) {
    const { mode, increment, start, rangeStart, rangeEnd } = settings[unit];
    if (mode === MODE.interval && increment === 0) return { fault: 'zeroInterval', field: unit };
    if (mode === MODE.interval && unit === 'month' && start === 0) return { fault: 'zeroStart', field: unit };
    if (mode === MODE.range && rangeStart > rangeEnd) return { fault: 'startAfterEnd', field: unit };
  }
  return undefined;
}

export type ScheduleVerdict = ({ ok: true; schedule: Schedule; next: number } | ({ ok: false } & ScheduleRefusal)) & { expression: string };

/**
 * Checks that a schedule parses, has a future run and, for `onceAMinute`, never runs twice within a minute.
 * Returns the fault with its field.
 */
export function judgeSchedule(expression: string, now: number, timeZone: string, onceAMinute = false): ScheduleVerdict {
  const refuse = (fault: ScheduleFault, field: ScheduleField): ScheduleVerdict => ({ ok: false, fault, field, expression });
  let schedule: Schedule;
  try {
    schedule = parseSchedule(expression);
  } catch (error) {
    if (error instanceof ScheduleError) return refuse('unreadable', error.field);
    throw error;
  }
  if (onceAMinute && schedule.seconds.length > 1) return refuse('tooOften', 'second');
  const next = nextRun(schedule, now, timeZone);
  if (next === undefined) return refuse('noRun', 'year');
  return { ok: true, schedule, next, expression };
}
