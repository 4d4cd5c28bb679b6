import { z } from 'zod';
import { id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { EVENT_LEVELS } from '../states/anomaly.ts';
import { ALARM_SOURCES, alarmRuleKind, alarmRuleState, alarmSource } from '../states/alarm.ts';
import { RULES } from '../core/rules.ts';

const MAX_STEPS = 5;
const MAX_STEP_MINUTES = 1440;
export const MAX_STEP_RECIPIENTS = 50;

/** A local time of the day, HH:MM; empty: none. */
const timeOfDay = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d)?$/, RULES.timeOfDay.en);

export const alarmStep = z.object({
  /** Minutes after the first message of the alarm. */
  afterMinutes: z.number().int().min(0).max(MAX_STEP_MINUTES),
  channelId: id,
  recipientIds: z.array(id).max(MAX_STEP_RECIPIENTS),
});
export type AlarmStep = z.infer<typeof alarmStep>;

const level = z.enum(EVENT_LEVELS);

/** Conditions of a rule and how it speaks. Times are local times of the utility; equal or empty ones mean no limit. */
export const alarmCriteria = z.object({
  sources: z.array(alarmSource).max(ALARM_SOURCES.length).default([]),
  levels: z.array(level).max(EVENT_LEVELS.length).default([]),
  /** Log and code, such as `fraud:40`; none: all codes with a level. */
  codes: z
    .array(z.string().regex(/^[a-z]+:\d{1,5}$/))
    .max(200)
    .default([]),
  /** Levels with all that is below them; none: the whole network. Events of the head-end belong to no area. */
  levelIds: z.array(id).max(100).default([]),
  /** Events that occurred outside of these times do not count. */
  activeFrom: timeOfDay.default(''),
  activeTo: timeOfDay.default(''),
  /** Messages wait between these times, except for `quietBreaks`. */
  quietFrom: timeOfDay.default(''),
  quietTo: timeOfDay.default(''),
  quietBreaks: z.array(level).max(EVENT_LEVELS.length).default([]),
  /** Seconds before the first message, in which the affected meters are counted. */
  gatherSeconds: z.number().int().min(0).max(600).default(30),
  /** Minutes without events after which a finished alarm is closed. */
  calmMinutes: z.number().int().min(10).max(10_080).default(60),
  /** Interval in which the last step is repeated until the alarm is acknowledged; 0: never. */
  repeatMinutes: z.number().int().min(0).max(MAX_STEP_MINUTES).default(0),
  /** Local time of a daily digest. */
  digestAt: timeOfDay.default('06:00'),
});
export type AlarmCriteria = z.infer<typeof alarmCriteria>;

const fields = alarmCriteria.extend({
  name: z.string().trim().min(1).max(64),
  kind: alarmRuleKind,
  /** In the order of their minutes. A digest uses the first one. */
  steps: z.array(alarmStep).min(1, RULES.selectOne.en).max(MAX_STEPS),
});
export type AlarmRuleFields = z.infer<typeof fields>;

type Checked = Pick<AlarmRuleFields, 'kind' | 'sources' | 'levels' | 'digestAt' | 'steps'>;
/** An alarm rule selects something, a digest has a time, and later steps come later. */
function checkRule({ kind, sources, levels, digestAt, steps }: Checked, ctx: z.RefinementCtx): void {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  if (kind === 'digest') {
    if (digestAt === '') refuse('digestAt', RULES.timeOfDay.en);
    return;
  }
  if (sources.length === 0) refuse('sources', RULES.selectOne.en);
  if (levels.length === 0) refuse('levels', RULES.selectOne.en);
  if (steps.some((step, index) => index > 0 && step.afterMinutes <= (steps[index - 1]?.afterMinutes ?? 0)))
    refuse('steps', RULES.ascendingSteps.en);
}

export const newAlarmRule = fields.superRefine(checkRule);
export const alarmRuleChange = fields.extend({ version: z.number().int() }).superRefine(checkRule);

export const alarmRuleRow = fields.extend({
  id,
  state: alarmRuleState,
  /** Alarms of the rule that are not closed. */
  open: z.number().int(),
  lastAlarmAt: instant.nullable(),
  createdAt: instant,
  version: z.number().int(),
});
export type AlarmRuleRow = z.infer<typeof alarmRuleRow>;

const page = PAGE_PATH.alarms;
const change = { allow: { page, action: 'edit' }, endangers: 'settings', params: idParams } as const;
const DONE = { response: z.void(), status: 204 } as const;
const WRITES = ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'WHOLE_NETWORK_ONLY'] as const;

/** Rules that decide what is sent to whom. All routes need a role for the whole network. */
export const alarmRule = {
  list: route({
    method: 'GET',
    path: '/manager/alarm/rule',
    summary: 'Alarm rules',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(alarmRuleRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/alarm/rule',
    summary: 'Add an alarm rule, which begins with the events from now on',
    allow: { page, action: 'add' },
    endangers: 'settings',
    body: newAlarmRule,
    response: alarmRuleRow,
    status: 201,
    errors: WRITES,
  }),
  update: route({
    ...change,
    method: 'PUT',
    path: '/manager/alarm/rule/{id}',
    summary: 'Change an alarm rule; its open alarms keep their steps, without removed channels and recipients',
    body: alarmRuleChange,
    response: alarmRuleRow,
    errors: [...WRITES, 'NOT_FOUND', 'STALE'],
  }),
  remove: route({
    ...change,
    ...DONE,
    allow: { page, action: 'delete' },
    method: 'DELETE',
    path: '/manager/alarm/rule/{id}',
    summary: 'Delete an alarm rule with its alarms',
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
  pause: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/alarm/rule/{id}/pause',
    summary: 'Pause an alarm rule: it finds nothing and sends nothing, and its open alarms are closed',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  resume: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/alarm/rule/{id}/resume',
    summary: 'Resume an alarm rule with the events from now on',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
};
