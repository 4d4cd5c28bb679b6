import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, id, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { relayState } from '../states/device.ts';
import { relayCommandState, relayOperation } from '../states/relay.ts';
import { MAX_DEVICES_PER_ORDER, openOrder } from './device-order.ts';

const page = '/action/relay-control';

export const relayRow = z.object({
  meterId: id,
  sn: z.string(),
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  transformerName: z.string().nullable(),
  dcuSn: z.string().nullable(),
  isOnline: z.boolean(),
  /** The control state the meter gave last. */
  relayState,
  /** The contact itself: true is closed. */
  output: z.boolean().nullable(),
  /** As the meter says it, else as its type does. */
  controlMode: z.number().int().min(0).max(6),
  readAt: instant.nullable(),
  openOrder: openOrder.nullable(),
  switchedAt: instant.nullable(),
  switchedByName: z.string().nullable(),
  isProtected: z.boolean(),
  command: z.object({ taskId: id, operation: relayOperation, state: relayCommandState, at: instant }).nullable(),
});
export type RelayRow = z.infer<typeof relayRow>;

const filters = z.object({
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  sns: csv(z.string().max(32)).optional(),
  state: csv(relayState).optional(),
  isProtected: z.stringbool().optional(),
});
export type RelayFilters = z.output<typeof filters>;

const meterIds = z.array(id).min(1, RULES.selectData.en).max(MAX_DEVICES_PER_ORDER);
const reason = z.string().trim().min(1, RULES.reason.en).max(256);

/** What an order would reach, before it is given. */
export const blastRadius = z.object({
  meters: z.number().int(),
  customers: z.number().int(),
  transformers: z.number().int(),
  /** Last known demand; what is not known counts as 1 kW. */
  kw: z.number(),
  protected: z.number().int(),
  /** Meters the order leaves out, and why. */
  excluded: z.array(z.object({ meterId: id, sn: z.string(), why: z.enum(['no_relay', 'not_bound', 'mode', 'already']) })),
  targets: z.array(
    z.object({
      meterId: id,
      sn: z.string(),
      customerName: z.string().nullable(),
      address: z.string().nullable(),
      kw: z.number(),
      isProtected: z.boolean(),
      /** Protected, or a day ago still: switching it off takes two people. */
      takesTwo: z.boolean(),
    }),
  ),
  /** Supplies the caller may still switch alone in this hour. */
  aloneLeft: z.number().int(),
  needsApproval: z.boolean(),
  isStopped: z.boolean(),
  /** What the ceilings leave for this hour. */
  left: z.object({ meters: z.number().int(), kw: z.number() }),
});
export type BlastRadius = z.infer<typeof blastRadius>;

export const relayOrder = z.object({
  /** The same id is the same order, however often it arrives. */
  requestId: z.uuid(),
  meterIds,
  operation: relayOperation,
  reason,
  workOrder: z.string().trim().min(1, RULES.workOrder.en).max(64),
});
export type RelayOrder = z.output<typeof relayOrder>;

export const relayLimits = z.object({
  maxMetersPerHour: z.number().int().min(0).max(10_000),
  maxKwPerHour: z.number().int().min(0).max(300_000),
  maxMetersPerDay: z.number().int().min(0).max(100_000),
  /** So many supplies an hour may one person switch without a second one. */
  aloneUpTo: z.number().int().min(0).max(10),
  /** From this hour of the day on, and until the other one, one person may cut off a supply alone. */
  aloneFromHour: z.number().int().min(0).max(24),
  aloneToHour: z.number().int().min(0).max(24),
  spreadS: z.number().int().min(0).max(3600),
});
export type RelayLimits = z.infer<typeof relayLimits>;

export const relayGuard = relayLimits.extend({
  usedMeters: z.number().int(),
  usedKw: z.number(),
  /** In the last 24 hours. */
  usedMetersOfDay: z.number().int(),
  /** Looser limits that are not in force yet: not before their time, and not before a second person agrees. */
  coming: relayLimits
    .extend({ id, effectiveAt: instant, changedBy: id.nullable(), changedByName: z.string().nullable(), isConfirmed: z.boolean() })
    .nullable(),
  stop: z.object({ reason: z.string(), byName: z.string().nullable(), at: instant }).nullable(),
});
export type RelayGuard = z.infer<typeof relayGuard>;

export const relayCommandRow = z.object({
  id,
  taskId: id,
  meterId: id,
  /** Meter, customer and DCU as they were when the command was ordered. */
  sn: z.string(),
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  dcuSn: z.string().nullable(),
  operation: relayOperation,
  state: relayCommandState,
  reasonCode: z.string().nullable(),
  reason: z.string(),
  workOrder: z.string(),
  requestedByName: z.string().nullable(),
  approvedByName: z.string().nullable(),
  createdAt: instant,
  sentAt: instant.nullable(),
  endedAt: instant.nullable(),
  powerBeforeW: z.number().int().nullable(),
  powerAfterW: z.number().int().nullable(),
  traceId: z.string().nullable(),
});
export type RelayCommandRow = z.infer<typeof relayCommandRow>;

export const relay = {
  list: route({
    method: 'GET',
    path: '/action/relay',
    summary: 'Relays of meters as they were last read',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(relayRow),
  }),
  summary: route({
    method: 'GET',
    path: '/action/relay/summary',
    summary: 'How many relays are in which state',
    allow: { page, action: 'view' },
    query: filters.omit({ state: true, isProtected: true }),
    response: z.object({ total: z.number().int(), byState: z.record(relayState, z.number().int()), protected: z.number().int() }),
  }),
  log: route({
    method: 'GET',
    path: '/action/relay/log',
    summary: 'Commands to relays with their proof, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ meterId: id.optional(), state: csv(relayCommandState).optional() }),
    response: pageOf(relayCommandRow),
  }),
  read: route({
    method: 'POST',
    path: '/action/relay/read',
    summary: 'Read relays, and so find out about commands whose outcome is unknown',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ meterIds }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOT_BOUND'],
  }),
  preview: route({
    method: 'POST',
    path: '/action/relay/preview',
    summary: 'Whom an order would reach',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ meterIds, operation: relayOperation }),
    response: blastRadius,
    errors: ['VALIDATION', 'METER_NOT_FOUND'],
  }),
  order: route({
    method: 'POST',
    path: '/action/relay',
    summary: 'Order a disconnection, a connection or an arming; above the limit and for protected supplies a second person decides',
    allow: { page, action: 'execute' },
    endangers: 'supply',
    proofOnlyIf: { operation: 'disconnect' },
    body: relayOrder,
    response: taskRef.extend({ needsApproval: z.boolean() }),
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  protect: route({
    method: 'PUT',
    path: '/action/relay/protection',
    summary: 'Protect supplies, or lift the protection',
    allow: { page, action: 'execute' },
    endangers: 'safeguards',
    proofOnlyIf: { isProtected: false },
    body: z.object({ meterIds, isProtected: z.boolean(), reason }),
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION', 'METER_NOT_FOUND'],
  }),
  guard: route({
    method: 'GET',
    path: '/action/relay/guard',
    summary: 'Ceilings, what was used of them in the last hour, and whether switching is stopped',
    allow: { page, action: 'view' },
    response: relayGuard,
  }),
  changeLimits: route({
    method: 'PUT',
    path: '/action/relay/guard',
    summary: 'Change the ceilings: tighter at once, looser a day later and with the word of a second person',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    body: relayLimits,
    response: relayGuard,
  }),
  confirmLimits: route({
    method: 'POST',
    path: '/action/relay/guard/word',
    summary: 'Agree to the looser ceilings somebody else has asked for',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    body: z.object({ id }),
    response: relayGuard,
    errors: ['NOTHING_TO_DO', 'SAME_USER'],
  }),
  stop: route({
    method: 'POST',
    path: '/action/relay/stop',
    summary: 'Stop all switching at once',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ reason }),
    response: relayGuard,
  }),
  release: route({
    method: 'POST',
    path: '/action/relay/release',
    summary: 'Let switching go on',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    body: z.object({ reason }),
    response: relayGuard,
  }),
};
