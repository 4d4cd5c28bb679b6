import { z } from 'zod';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { recordedPhase } from '../states/device.ts';
import { phaseFact, phaseState, singlePhase, unbalanceClass } from '../states/phase.ts';
import { exportOf } from '../transfer/export.ts';
import { measured } from '../core/measured.ts';
import type { Unit } from '../core/unit.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.phases;
const view = { page, action: 'view' } as const;
const params = z.object({ transformerId: id });
const number = z.number().nullable();
/** Values of the phases A, B and C. */
const threeOf = <const T extends z.ZodType>(one: T) => z.tuple([one, one, one]);
const three = threeOf(number);
const threeIn = (unit: Unit) => threeOf(measured(unit).nullable());

/** Values of the master meter in one 15-minute slot, times its ratios, in A, V and kW. */
export const balanceSlot = z.object({
  at: instant,
  current: threeIn('A'),
  neutral: measured('A').nullable(),
  voltage: threeIn('V'),
  power: threeIn('kW'),
  /** Current unbalance: max|Ix − mean| ÷ mean. */
  currentUnbalancePercent: number,
  voltageUnbalancePercent: number,
});
export type BalanceSlot = z.infer<typeof balanceSlot>;

export const phaseShare = z.object({
  phase: recordedPhase,
  meters: z.number().int(),
  kwh: z.number(),
});
export type PhaseShare = z.infer<typeof phaseShare>;

const phaseBalance = z.object({
  transformerId: id,
  name: z.string(),
  masterMeterId: id.nullable(),
  masterMeterSn: z.string().nullable(),
  /** Day of the slots. */
  day,
  slots: z.array(balanceSlot),
  /** Mean current unbalance by day and local hour; days with a clock change have 23 or 25 hours. Null: no data. */
  heat: z.array(z.object({ day, hours: z.array(z.object({ at: instant, value: measured('%').nullable() })) })),
  shares: z.array(phaseShare),
  /** Values over the range. */
  meanUnbalancePercent: number,
  class: unbalanceClass.nullable(),
  limits: z.object({ warningPercent: z.number(), seriousPercent: z.number(), lowV: z.number(), highV: z.number() }),
});
export type PhaseBalance = z.infer<typeof phaseBalance>;

const witness = z.object({
  phase: singlePhase,
  /** Confidence of the evidence, 0 to 1. */
  support: z.number(),
});

/** A meter with its phase in the archive and the phases that follow from the evidence. */
export const phaseRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  recordedPhase,
  /** Phase measured by its module from the zero crossing of the mains. */
  modulePhase: singlePhase.nullable(),
  moduleAt: instant.nullable(),
  /** Phase by correlation of its voltage with those of the master meter. */
  master: witness.extend({ correlations: three, samples: z.number().int() }).nullable(),
  /** Phase by correlation with meters whose phase is already certain. */
  neighbours: witness.extend({ correlations: three, meters: z.number().int() }).nullable(),
  finalPhase: recordedPhase.nullable(),
  confidence: number,
  state: phaseState,
  /** The identified phase is certain and differs from the recorded one. */
  isConflict: z.boolean(),
  /** One kind of evidence contradicts the result. */
  hasContradiction: z.boolean(),
  computedAt: instant.nullable(),
  acceptedByName: z.string().nullable(),
  /** The written phase is not dispatched to the DCU yet. */
  awaitsDispatch: z.boolean(),
});
export type PhaseRow = z.infer<typeof phaseRow>;

const filters = {
  transformerId: id,
  search: z.string().max(64).optional(),
  phase: csv(recordedPhase).optional(),
  state: csv(phaseState).optional(),
  isConflict: z.stringbool().optional(),
  /** Per cent. */
  confidence: z.coerce.number().min(0).max(100).optional(),
};

/** Steps of an identification: collect voltage changes, correlate with the master meter, correlate with neighbours, store. */
export const IDENTIFY_STEPS = 4;
export const MAX_MOVES = 20;
const move = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  from: singlePhase,
  to: singlePhase,
  meanKw: z.number(),
  /** Unbalance after this move and all previous ones. */
  unbalancePercent: z.number(),
});

export const factRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  fact: phaseFact,
  /** Phase L1 to L3; null: concerns the whole meter. */
  phase: singlePhase.nullable(),
  /** Number of 15-minute slots or events. */
  times: z.number().int(),
  firstAt: instant,
  lastAt: instant,
});
export type FactRow = z.infer<typeof factRow>;

const range = z.object({ from: day, to: day });
export const MAX_PHASES_AT_ONCE = 5000;
const meterIds = z.array(id).min(1, RULES.selectData.en).max(MAX_PHASES_AT_ONCE);

export const phase = {
  balance: route({
    method: 'GET',
    path: '/analysis/phase/{transformerId}/balance',
    summary: 'Currents, voltages and powers of the three phases of a transformer',
    allow: view,
    params,
    query: range.extend({ day: day.optional() }),
    response: phaseBalance,
    errors: ['NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
  list: route({
    method: 'GET',
    path: '/analysis/phase',
    summary: 'Phases of meters, with the evidence',
    allow: view,
    query: pageQuery.extend(filters),
    response: pageOf(phaseRow),
    errors: ['VALIDATION'],
  }),
  summary: route({
    method: 'GET',
    path: '/analysis/phase/{transformerId}/summary',
    summary: 'Meters of a transformer by the state of their phase',
    allow: view,
    params,
    response: z.object({
      total: z.number().int(),
      byState: z.record(phaseState, z.number().int()),
      conflicts: z.number().int(),
      /** Number of proposals with a confidence of at least 90 %. */
      verySure: z.number().int(),
      computedAt: instant.nullable(),
      /** Running identification. */
      taskId: id.nullable(),
      /** Number of the last 14 days with load profile B of the master meter. */
      daysWithData: z.number().int(),
    }),
    errors: ['NOT_FOUND'],
  }),
  identify: route({
    method: 'POST',
    path: '/analysis/phase/{transformerId}/identify',
    summary: 'Identify the phases of all single-phase meters of a transformer; a call during an identification returns the running task',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params,
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'NEEDS_LOAD_PROFILE'],
  }),
  accept: route({
    method: 'PUT',
    path: '/analysis/phase/accept',
    summary: 'Accept proposed phases of meters, or all of a transformer with a confidence of at least 90 %',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/analysis/phase',
    body: z.union([z.object({ meterIds }), z.object({ transformerId: id })]),
    response: z.object({ accepted: z.number().int() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  write: route({
    method: 'PUT',
    path: '/analysis/phase/archive',
    summary: 'Write accepted phases to the archive of the head-end; `send` dispatches them to the DCUs',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ meterIds }),
    response: z.object({ written: z.number().int(), dcus: z.array(z.object({ id, sn: z.string(), meters: z.number().int() })) }),
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  send: route({
    method: 'POST',
    path: '/analysis/phase/send',
    summary: 'Dispatch the archives of meters with written phases to their DCUs, one task per DCU',
    allow: { page: PAGE_PATH.archives, action: 'execute' },
    endangers: 'reach',
    body: z.object({ meterIds }),
    response: z.object({
      tasks: z.array(taskRef.extend({ dcuId: id, dcuSn: z.string(), meters: z.number().int() })),
      /** DCUs with a running archive task. */
      busy: z.array(z.string()),
    }),
    status: 202,
    errors: ['VALIDATION', 'NOTHING_TO_DO', 'BUSY', 'DCU_NOT_FOUND', 'NOT_FOUND', 'NOT_BOUND', 'ARCHIVE_FULL'],
  }),
  whatIf: route({
    method: 'GET',
    path: '/analysis/phase/{transformerId}/what-if',
    summary: 'Smallest set of meters to move to other phases for the best balance',
    allow: view,
    params,
    query: range.extend({ moves: z.coerce.number().int().min(1).max(MAX_MOVES).default(5) }),
    response: z.object({
      before: z.object({ kw: z.tuple([z.number(), z.number(), z.number()]), unbalancePercent: z.number() }),
      after: z.object({ kw: z.tuple([z.number(), z.number(), z.number()]), unbalancePercent: z.number() }),
      moves: z.array(move),
      /** Number of single-phase meters with a known phase and with consumption in the range. */
      meters: z.number().int(),
      /** They load all phases equally, and stay. */
      threePhaseMeters: z.number().int(),
      /** Mean current unbalance that the master meter measured over the range; null: no data. */
      measuredPercent: number,
    }),
    errors: ['NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
  facts: route({
    method: 'GET',
    path: '/analysis/phase-fact',
    summary: 'Phase faults of the meters of a transformer',
    allow: view,
    query: range.extend({ transformerId: id, fact: csv(phaseFact).optional(), search: z.string().max(64).optional() }),
    response: listOf(factRow),
    errors: ['NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const phaseExport = exportOf('phase', phase.list);
export const phaseFactExport = exportOf('phase-fact', phase.facts);
