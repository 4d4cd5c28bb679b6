import { z } from 'zod';
import { BLAST_RADIUS_EXAMPLE, RELAY_COMMAND_EXAMPLE, RELAY_EXAMPLE, pageOfOne } from '../examples.ts';
import { nodeKey } from '../asset/tree.ts';
import { csv, cursoredPageOf, cursorQuery, id, instant, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { relayState } from '../states/device.ts';
import { relayCommandState, relayOperation } from './relay-rules.ts';
import { MAX_DEVICES_PER_ORDER, openOrder } from './device-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.relays;

export const relayRow = z.object({
  meterId: id,
  sn: z.string(),
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  transformerName: z.string().nullable(),
  dcuSn: z.string().nullable(),
  isOnline: z.boolean(),
  /** Control state as last read from the meter. */
  relayState,
  /** Output state: true if the contact is closed. */
  output: z.boolean().nullable(),
  /** Control mode (0 to 6) reported by the meter, otherwise that of its meter type. */
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

/** Preview of an order: the supplies it would switch, and whether it requires approval. */
export const blastRadius = z.object({
  meters: z.number().int(),
  customers: z.number().int(),
  transformers: z.number().int(),
  /** Sum of the last known demand in kW; a supply with unknown demand counts as 1 kW. */
  kw: z.number(),
  protected: z.number().int(),
  /** Meters that the order skips, with the reason. */
  excluded: z.array(z.object({ meterId: id, sn: z.string(), reason: z.enum(['no_relay', 'not_bound', 'mode', 'already']) })),
  targets: z.array(
    z.object({
      meterId: id,
      sn: z.string(),
      customerName: z.string().nullable(),
      address: z.string().nullable(),
      kw: z.number(),
      isProtected: z.boolean(),
      /** The supply is protected, or was within the last 24 hours: disconnecting it requires the approval of a second user. */
      requiresApproval: z.boolean(),
    }),
  ),
  /** Number of supplies the caller may still switch without approval; orders of the last 60 minutes count. */
  soloRemaining: z.number().int(),
  requiresApproval: z.boolean(),
  isStopped: z.boolean(),
  /** Remainder of the limits of the last 60 minutes. */
  remaining: z.object({ meters: z.number().int(), kw: z.number() }),
});
export type BlastRadius = z.infer<typeof blastRadius>;

export const relayOrder = z.object({
  /** Idempotency key: a repeated request with the same id returns the existing order. */
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
  /** Maximum number of supplies one user may switch per hour without approval. */
  soloLimitPerHour: z.number().int().min(0).max(10),
  /** First local hour of the day in which one user may disconnect without approval; `soloToHour` is the first hour after. */
  soloFromHour: z.number().int().min(0).max(24),
  soloToHour: z.number().int().min(0).max(24),
  /** Seconds over which the commands of one batch are spread at random. */
  spreadS: z.number().int().min(0).max(3600),
});
export type RelayLimits = z.infer<typeof relayLimits>;

export const relayLimitStatus = relayLimits.extend({
  /** Supplies disconnected within the last hour. */
  usedMetersLastHour: z.number().int(),
  usedKwLastHour: z.number(),
  /** Supplies disconnected within the last 24 hours. */
  usedMetersLastDay: z.number().int(),
  /** Looser limits that are not in force yet: they take effect at `effectiveAt`, and only if a second user has approved them. */
  pendingLimits: relayLimits
    .extend({ id, effectiveAt: instant, changedBy: id.nullable(), changedByName: z.string().nullable(), isApproved: z.boolean() })
    .nullable(),
  stop: z.object({ reason: z.string(), byName: z.string().nullable(), at: instant }).nullable(),
});
export type RelayLimitStatus = z.infer<typeof relayLimitStatus>;

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
    query: pageQuery.extend({ ...filters.shape, ...cursorQuery }),
    v1: {
      description:
        'Lists the relays of meters as they were last read, with an order that is still open. With after, in the order of the ids of the meters.',
      example: { query: { sns: 'ZX10000001' }, response: { ...pageOfOne(RELAY_EXAMPLE), next: null } },
    },
    response: cursoredPageOf(relayRow),
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
    summary: 'Commands to relays with their confirmation, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ meterId: id.optional(), state: csv(relayCommandState).optional(), ...cursorQuery }),
    v1: {
      description:
        'Lists commands to relays with the state that was read back: newest first, or in the order of their ids with after. The state of a row may change later; the feed of commands tells each end.',
      example: { query: { meterId: '1001' }, response: { ...pageOfOne(RELAY_COMMAND_EXAMPLE), next: null } },
    },
    response: cursoredPageOf(relayCommandRow),
  }),
  read: route({
    method: 'POST',
    path: '/action/relay/read',
    summary: 'Read relays, which settles commands with an unknown outcome',
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
    summary: 'Preview an order: supplies it would switch, and whether it requires approval',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ meterIds, operation: relayOperation }),
    v1: {
      description:
        'Tells which supplies an order would switch, which it would skip, and whether a person would have to approve it. It orders nothing.',
      example: { body: { meterIds: ['1001'], operation: 'disconnect' }, response: BLAST_RADIUS_EXAMPLE },
    },
    response: blastRadius,
    errors: ['VALIDATION', 'METER_NOT_FOUND'],
  }),
  order: route({
    method: 'POST',
    path: '/action/relay',
    summary:
      'Order a disconnection, a connection or an arming; orders above the limit or for protected supplies require the approval of a second user',
    allow: { page, action: 'execute' },
    endangers: 'supply',
    proofOnlyIf: { operation: 'disconnect' },
    body: relayOrder,
    response: taskRef.extend({ requiresApproval: z.boolean() }),
    status: 202,
    v1: {
      description:
        'Orders that the supplies of meters are connected, disconnected or armed. The service account needs the permission to connect and disconnect supplies, and its token must be a day old. The limits of relay control hold; with requiresApproval the commands wait until a person has approved them. Follow the task to see the confirmed state of each relay.',
      example: {
        body: {
          requestId: '3f1f8f0a-52a0-4b52-9d0b-8f3f6a1f2c11',
          meterIds: ['1001'],
          operation: 'disconnect',
          reason: 'Contract ended',
          workOrder: 'WO-2026-1187',
        },
        response: { taskId: '9001', requiresApproval: false },
      },
    },
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
  limits: route({
    method: 'GET',
    path: '/action/relay/limits',
    summary: 'Limits of relay control, their use in the last hour and day, and the emergency stop',
    allow: { page, action: 'view' },
    response: relayLimitStatus,
  }),
  changeLimits: route({
    method: 'PUT',
    path: '/action/relay/limits',
    summary: 'Change the limits: lower ones take effect at once, higher ones after 24 hours and with the approval of a second user',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    announces: '/action/relay/limits',
    body: relayLimits,
    response: relayLimitStatus,
  }),
  approveLimits: route({
    method: 'POST',
    path: '/action/relay/limits/approval',
    summary: 'Approve higher limits that another user has requested',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    announces: '/action/relay/limits',
    body: z.object({ id }),
    response: relayLimitStatus,
    errors: ['NOTHING_TO_DO', 'SAME_USER'],
  }),
  stop: route({
    method: 'POST',
    path: '/action/relay/stop',
    summary: 'Start the emergency stop: dangerous orders are refused, and commands not yet sent fail',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    announces: '/action/relay/limits',
    body: z.object({ reason }),
    response: relayLimitStatus,
  }),
  release: route({
    method: 'POST',
    path: '/action/relay/release',
    summary: 'Release the emergency stop',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    announces: '/action/relay/limits',
    body: z.object({ reason }),
    response: relayLimitStatus,
  }),
};
