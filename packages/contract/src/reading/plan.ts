import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';
import { scheduleSettings } from '../schedule/settings.ts';
import { PLAN_EXECUTIONS, PLAN_TARGETS, PLAN_TYPES, TYPES_WITH_ITEMS } from '../states/plan.ts';
import { exportOf } from '../transfer/export.ts';
import { importOf } from '../transfer/import.ts';
import { taskState } from '../task/task.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_PLAN_TARGETS = 1000;
export const MAX_PLAN_ITEMS = 64;
/** Number of runs in a preview. */
export const PREVIEW_RUNS = 10;

export const planType = z.enum(PLAN_TYPES);
export const planTarget = z.enum(PLAN_TARGETS);
export const planExecution = z.enum(PLAN_EXECUTIONS);

/** Local time of the utility, such as `00:30`. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** Default window of plans: the night, when the network is quiet and freezes are due. */
export const USUAL_WINDOW = { from: '00:30', to: '06:00' } as const;

export const planRunRow = z.object({
  id,
  at: instant,
  trigger: z.enum(['schedule', 'user']),
  state: z.enum(['started', 'skipped']),
  reason: z.enum(['still_running', 'no_targets']).nullable(),
  queued: z.number().int(),
  /** Devices skipped because they still wait in the previous run. */
  stillWaiting: z.number().int(),
  /** Task of the run; plans that are due at the same time share it. */
  taskId: id.nullable(),
  taskState: taskState.nullable(),
  total: z.number().int().nullable(),
  done: z.number().int().nullable(),
  ok: z.number().int().nullable(),
  failed: z.number().int().nullable(),
  finishedAt: instant.nullable(),
  /** The run was loaded as history of the demonstration. */
  isLoaded: z.boolean(),
});
export type PlanRunRow = z.infer<typeof planRunRow>;

const fields = z.object({
  name: nameOf(64),
  type: planType,
  schedule: z.string().trim().min(1).max(512),
  /** Settings of the schedule builder, equivalent to the expression. */
  scheduleSettings: scheduleSettings.nullable().default(null),
  targetKind: planTarget.default('all'),
  targetIds: z.array(id).max(MAX_PLAN_TARGETS).default([]),
  /** Keys of the dictionary. */
  items: z.array(z.string().max(64)).max(MAX_PLAN_ITEMS).default([]),
  lookBackDays: z.int().min(1).max(31).default(1),
  execution: planExecution.default('cache_then_hes'),
  /** Null: the default retries of the head-end. */
  retryCount: z.int().min(0).max(10).nullable().default(3),
  retryIntervalMinutes: z.int().min(1).max(240).nullable().default(15),
  /** Window in which the plan works; it may cross midnight. Both null: at any time. */
  windowFrom: timeOfDay.nullable().default(USUAL_WINDOW.from),
  windowTo: timeOfDay.nullable().default(USUAL_WINDOW.to),
  priority: z.int().min(1).max(9).default(5),
  enabled: z.boolean().default(true),
});

type Fields = z.output<typeof fields>;
const check = <S extends z.ZodType<Fields>>(schema: S) =>
  schema
    .refine((plan) => plan.targetKind === 'all' || plan.targetIds.length > 0, { path: ['targetIds'], message: RULES.selectData.en })
    .refine((plan) => !TYPES_WITH_ITEMS.includes(plan.type) || plan.items.length > 0, { path: ['items'], message: RULES.selectData.en })
    .refine((plan) => (plan.windowFrom === null) === (plan.windowTo === null), { path: ['windowFrom'], message: RULES.timeWindow.en })
    .refine((plan) => plan.windowFrom === null || plan.windowFrom !== plan.windowTo, {
      path: ['windowFrom'],
      message: RULES.timeWindow.en,
    });

export const newPlan = check(fields);
export const planChange = check(fields.extend({ version: z.number().int() }));
export type PlanFields = z.infer<typeof newPlan>;

export const planRow = z.object({
  id,
  ...fields.shape,
  /** Built-in plans may exceed the maximum of user plans. */
  lookBackDays: z.number().int(),
  scheduleSettings: scheduleSettings.nullable(),
  targetNames: z.array(z.string()),
  /** Number of meters in use among the targets that the caller may see. */
  meters: z.number().int(),
  isBuiltin: z.boolean(),
  nextRunAt: instant.nullable(),
  lastRun: planRunRow.nullable(),
  /** For a plan executed by DCUs: number of DCUs that accepted it in the last order. */
  dcuTasks: z.object({ taskId: id, at: instant, total: z.number().int(), ok: z.number().int(), failed: z.number().int() }).nullable(),
  ownerName: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
  version: z.number().int(),
});
export type PlanRow = z.infer<typeof planRow>;

export const planPreview = z.object({
  /** False: the plan cannot be saved because of `fault`. */
  isValid: z.boolean(),
  fault: z.object({ fault: z.string(), field: z.string(), message: z.string() }).nullable(),
  next: z.array(instant),
  sentence: z.string().nullable(),
  cost: z.object({
    meters: z.number().int(),
    dcus: z.number().int(),
    /** Both directions. */
    frames: z.number().int(),
    bytes: z.number().int(),
    /** Longest air time of a single DCU. */
    seconds: z.number(),
    /** `measured`: from items of this kind in the last days; `estimated`: from the APDU sizes of the standard. */
    basis: z.enum(['measured', 'estimated']),
    sample: z.number().int(),
    perDcu: z.array(z.object({ dcuId: id, dcuSn: z.string(), meters: z.number().int(), seconds: z.number(), bytes: z.number().int() })),
  }),
  /** Other plans that use the same DCUs at the same time. */
  collisions: z.array(z.object({ planId: id, name: z.string(), at: instant, dcus: z.number().int() })),
});
export type PlanPreview = z.infer<typeof planPreview>;

const page = PAGE_PATH.plans;

export const plan = {
  list: route({
    method: 'GET',
    path: '/reading/plan',
    summary: 'Collection plans',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      name: z.string().max(64).optional(),
      type: csv(planType).optional(),
      enabled: z.stringbool().optional(),
      lastResult: csv(taskState).optional(),
    }),
    response: pageOf(planRow),
  }),
  get: route({
    method: 'GET',
    path: '/reading/plan/{id}',
    summary: 'One plan',
    allow: { page, action: 'view' },
    params: idParams,
    response: planRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/reading/plan',
    summary: 'Add a plan',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newPlan,
    response: planRow,
    status: 201,
    errors: [
      'VALIDATION',
      'DUPLICATE',
      'SCHEDULE_INVALID',
      'EXECUTION_UNAVAILABLE',
      'UNKNOWN_ITEM',
      'UNKNOWN_REFERENCE',
      'NO_TARGETS',
      'BEYOND_OWN_RIGHTS',
    ],
  }),
  update: route({
    method: 'PUT',
    path: '/reading/plan/{id}',
    summary: 'Change a plan',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: planChange,
    response: planRow,
    errors: [
      'VALIDATION',
      'NOT_FOUND',
      'STALE',
      'DUPLICATE',
      'SCHEDULE_INVALID',
      'EXECUTION_UNAVAILABLE',
      'UNKNOWN_ITEM',
      'UNKNOWN_REFERENCE',
      'NO_TARGETS',
      'BEYOND_OWN_RIGHTS',
    ],
  }),
  remove: route({
    method: 'DELETE',
    path: '/reading/plan/{id}',
    summary: 'Delete a plan; collected readings remain',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'BUILT_IN_ENTRY', 'BEYOND_OWN_RIGHTS'],
  }),
  enable: route({
    method: 'PUT',
    path: '/reading/plan/{id}/enabled',
    summary: 'Switch a plan on or off',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ enabled: z.boolean() }),
    response: planRow,
    errors: ['NOT_FOUND', 'SCHEDULE_INVALID', 'BEYOND_OWN_RIGHTS'],
  }),
  run: route({
    method: 'POST',
    path: '/reading/plan/{id}/run',
    summary: 'Run a plan now, regardless of its schedule and window',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'PLAN_RUNNING', 'NO_TARGETS', 'BEYOND_OWN_RIGHTS'],
  }),
  runs: route({
    method: 'GET',
    path: '/reading/plan/{id}/runs',
    summary: 'Runs of a plan, newest first, including skipped ones',
    allow: { page, action: 'view' },
    params: idParams,
    query: pageQuery,
    response: pageOf(planRunRow),
    errors: ['NOT_FOUND'],
  }),
  preview: route({
    method: 'POST',
    path: '/reading/plan/preview',
    summary: 'Preview of a plan: next runs, air time, and collisions with other plans',
    allow: { page, action: 'view' },
    endangers: 'nothing',
    body: fields
      .pick({ type: true, schedule: true, targetKind: true, targetIds: true, items: true, lookBackDays: true })
      .extend({ id: id.optional(), execution: planExecution.default('hes_pull') }),
    response: planPreview,
    errors: ['VALIDATION'],
  }),
  choices: route({
    method: 'GET',
    path: '/reading/plan/choice',
    summary: 'Possible targets of a plan by kind',
    allow: { page, action: 'view' },
    query: z.object({ kind: planTarget, search: z.string().max(64).optional(), ids: csv(id).optional() }),
    response: listOf(z.object({ id, name: z.string() })),
  }),
};

export const planExport = exportOf('collect-plan', plan.list);
export const planImport = importOf('collect-plan', page);
