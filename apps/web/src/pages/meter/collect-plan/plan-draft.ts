import { USUAL_WINDOW, type PlanFields, type PlanRow } from '@hes/contract/reading/plan.ts';
import { settingsOf } from '@hes/contract/schedule/restore.ts';
import { localDay, serverNow } from '#core/time/format.ts';

export type PlanDraft = PlanFields;

/** As in the contract. */
export const NAME_MAX = 64;

const DEFAULT_SCHEDULE = '0 30 0 * * ? *';

const withSchedule = (schedule: string): Pick<PlanDraft, 'schedule' | 'scheduleSettings'> => ({
  schedule,
  scheduleSettings: settingsOf(schedule, Number(localDay(serverNow()).slice(0, 4))) ?? null,
});

/** An empty form. */
export const newDraft = (): PlanDraft => ({
  name: '',
  type: 'daily',
  ...withSchedule(DEFAULT_SCHEDULE),
  targetKind: 'all',
  targetIds: [],
  items: [],
  lookBackDays: 1,
  execution: 'cache_then_hes',
  retryCount: 3,
  retryIntervalMinutes: 15,
  windowFrom: USUAL_WINDOW.from,
  windowTo: USUAL_WINDOW.to,
  priority: 5,
  enabled: true,
});

export type ReadyMade = 'readyDaily' | 'readyProfiles' | 'readyInstant';
export const READY_MADE: readonly ReadyMade[] = ['readyDaily', 'readyProfiles', 'readyInstant'];

const ANY_TIME = { windowFrom: null, windowTo: null, retryCount: 2, retryIntervalMinutes: 5 };

/** The plans offered by an empty list. */
export function readyMade(kind: ReadyMade, name: string): PlanDraft {
  const draft = { ...newDraft(), name };
  if (kind === 'readyProfiles') return { ...draft, ...ANY_TIME, type: 'lpa', ...withSchedule('0 5 * * * ? *') };
  if (kind === 'readyInstant')
    return { ...draft, ...ANY_TIME, type: 'registers', items: ['U1', 'I1', 'P_PLUS', 'PF'], ...withSchedule('0 0/15 * * * ? *') };
  return draft;
}

/** The form values of a plan. */
export const draftOf = (row: PlanRow): PlanDraft => ({
  name: row.name,
  type: row.type,
  schedule: row.schedule,
  scheduleSettings: row.scheduleSettings,
  targetKind: row.targetKind,
  targetIds: row.targetIds,
  items: row.items,
  lookBackDays: row.lookBackDays,
  execution: row.execution,
  retryCount: row.retryCount,
  retryIntervalMinutes: row.retryIntervalMinutes,
  windowFrom: row.windowFrom,
  windowTo: row.windowTo,
  priority: row.priority,
  enabled: row.enabled,
});
