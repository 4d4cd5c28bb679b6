import { z } from 'zod';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { recordedPhase } from '../states/device.ts';
import { phaseFact, phaseState, singlePhase, unbalanceClass } from '../states/phase.ts';
import { exportOf } from '../transfer/export.ts';
import { measured } from '../core/measured.ts';
import type { Unit } from '../core/unit.ts';

const page = '/meter-management/mdms/phase-analysis';
const view = { page, action: 'view' } as const;
const params = z.object({ transformerId: id });
const number = z.number().nullable();
/** Of the phases A, B and C. */
const threeOf = <const T extends z.ZodType>(one: T) => z.tuple([one, one, one]);
const three = threeOf(number);
const threeIn = (unit: Unit) => threeOf(measured(unit).nullable());

/** What the master meter saw in a quarter of an hour, times its ratios: A, V and kW. */
export const balanceSlot = z.object({
  at: instant,
  current: threeIn('A'),
  neutral: measured('A').nullable(),
  voltage: threeIn('V'),
  power: threeIn('kW'),
  /** max|Ix − mean| ÷ mean. */
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
  /** The day of the slots. */
  day,
  slots: z.array(balanceSlot),
  /** Mean unbalance of the current in the local hours of each day of the range: 23 or 25 where clocks change. Null: nothing arrived. */
  heat: z.array(z.object({ day, hours: z.array(z.object({ at: instant, value: measured('%').nullable() })) })),
  shares: z.array(phaseShare),
  /** Of the range. */
  meanUnbalancePercent: number,
  class: unbalanceClass.nullable(),
  limits: z.object({ warningPercent: z.number(), seriousPercent: z.number(), lowV: z.number(), highV: z.number() }),
});
export type PhaseBalance = z.infer<typeof phaseBalance>;

const witness = z.object({
  phase: singlePhase,
  /** How surely it speaks, 0 to 1. */
  support: z.number(),
});

/** A meter, where the archive says it hangs, and where the witnesses say it does. */
export const phaseRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  recordedPhase,
  /** What its module measured against the zero crossing of the mains. */
  modulePhase: singlePhase.nullable(),
  moduleAt: instant.nullable(),
  /** Like whose voltage its own moves. */
  master: witness.extend({ correlations: three, samples: z.number().int() }).nullable(),
  /** The same, against the meters whose phase is sure already. */
  neighbours: witness.extend({ correlations: three, meters: z.number().int() }).nullable(),
  finalPhase: recordedPhase.nullable(),
  confidence: number,
  state: phaseState,
  /** Sure, and not what is recorded. */
  isConflict: z.boolean(),
  /** A witness says otherwise than the vote. */
  hasContradiction: z.boolean(),
  computedAt: instant.nullable(),
  acceptedByName: z.string().nullable(),
  /** Its DCU has not got the archive as it is written. */
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

/** Of an identification: changes gathered, set beside the master meter, set beside the neighbours, kept. */
export const IDENTIFY_STEPS = 4;
export const MAX_MOVES = 20;
const move = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  from: singlePhase,
  to: singlePhase,
  meanKw: z.number(),
  /** After this move and all before it. */
  unbalancePercent: z.number(),
});

export const factRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  fact: phaseFact,
  /** L1 to L3; null: of the meter as a whole. */
  phase: singlePhase.nullable(),
  /** Quarters of an hour, or events. */
  times: z.number().int(),
  firstAt: instant,
  lastAt: instant,
});
export type FactRow = z.infer<typeof factRow>;

const range = z.object({ from: day, to: day });
const meterIds = z.array(id).min(1, RULES.selectData.en).max(5000);

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
    summary: 'Phases of meters, with what speaks for them',
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
      /** Proposed with at least 90 %. */
      verySure: z.number().int(),
      computedAt: instant.nullable(),
      /** The identification that runs now. */
      taskId: id.nullable(),
      /** Days with load profile B of the master meter, of the last 14. */
      daysWithData: z.number().int(),
    }),
    errors: ['NOT_FOUND'],
  }),
  identify: route({
    method: 'POST',
    path: '/analysis/phase/{transformerId}/identify',
    summary: 'Find the phase of every single-phase meter of a transformer; who asks while it is done gets the task that does it',
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
    summary: 'Accept proposed phases: of these meters, or all of a transformer with at least 90 %',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.union([z.object({ meterIds }), z.object({ transformerId: id })]),
    response: z.object({ accepted: z.number().int() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  write: route({
    method: 'PUT',
    path: '/analysis/phase/archive',
    summary: 'Write accepted phases into the archive; the DCUs get them by dispatching it',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ meterIds }),
    response: z.object({ written: z.number().int(), dcus: z.array(z.object({ id, sn: z.string(), meters: z.number().int() })) }),
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  send: route({
    method: 'POST',
    path: '/analysis/phase/send',
    summary: 'Send written phases to the DCUs: the archives of these meters are dispatched, a task for each DCU',
    allow: { page: '/assets/archives-dispatch', action: 'execute' },
    endangers: 'reach',
    body: z.object({ meterIds }),
    response: z.object({
      tasks: z.array(taskRef.extend({ dcuSn: z.string(), meters: z.number().int() })),
      /** DCUs that are at work on their archive already. */
      busy: z.array(z.string()),
    }),
    status: 202,
    errors: ['VALIDATION', 'NOTHING_TO_DO', 'BUSY', 'DCU_NOT_FOUND', 'NOT_FOUND', 'NOT_BOUND', 'ARCHIVE_FULL'],
  }),
  whatIf: route({
    method: 'GET',
    path: '/analysis/phase/{transformerId}/what-if',
    summary: 'The fewest meters to hang elsewhere for the best balance',
    allow: view,
    params,
    query: range.extend({ moves: z.coerce.number().int().min(1).max(MAX_MOVES).default(5) }),
    response: z.object({
      before: z.object({ kw: z.tuple([z.number(), z.number(), z.number()]), unbalancePercent: z.number() }),
      after: z.object({ kw: z.tuple([z.number(), z.number(), z.number()]), unbalancePercent: z.number() }),
      moves: z.array(move),
      /** Single-phase meters with a known phase and with consumption in the range. */
      meters: z.number().int(),
    }),
    errors: ['NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
  facts: route({
    method: 'GET',
    path: '/analysis/phase-fact',
    summary: 'What is wrong with the phases of the meters of a transformer',
    allow: view,
    query: range.extend({ transformerId: id, fact: csv(phaseFact).optional(), search: z.string().max(64).optional() }),
    response: listOf(factRow),
    errors: ['NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const phaseExport = exportOf('phase', phase.list);
export const phaseFactExport = exportOf('phase-fact', phase.facts);
