import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { parameterOf, parameterState } from '../states/dcu-parameter.ts';
import { openOrder } from './device-order.ts';

const page = '/action/dcu-configuration';
const reason = z.string().trim().min(1, RULES.reason.en).max(256);
const dcuIds = z.array(id).min(1, RULES.selectData.en).max(1000);
const keys = z.string().max(32);
const values = z.record(keys, z.string().max(64));

export const dcuConfigRow = z.object({
  id,
  sn: z.string(),
  name: z.string(),
  transformerName: z.string().nullable(),
  onlineStatus: dcuOnlineStatus,
  /** Parameters that are not what they should be. */
  differs: z.number().int(),
  failed: z.number().int(),
  readAt: instant.nullable(),
  openOrder: openOrder.nullable(),
});
export type DcuConfigRow = z.infer<typeof dcuConfigRow>;

export const dcuParameterRow = z.object({
  key: z.string(),
  desired: z.string().nullable(),
  actual: z.string().nullable(),
  state: parameterState,
  reasonCode: z.string().nullable(),
  readAt: instant.nullable(),
  writtenAt: instant.nullable(),
});
export type DcuParameterRow = z.infer<typeof dcuParameterRow>;

export const dcuTemplate = z.object({
  id,
  name: z.string(),
  values,
  createdByName: z.string().nullable(),
  updatedAt: instant,
  version: z.number().int(),
});
export type DcuTemplate = z.infer<typeof dcuTemplate>;

/** Of an order of parameters, the DCUs that may no longer answer: all of them when one parameter touches link or service. */
function devicesAtRisk(body: unknown): number {
  const order = body as { dcuIds: string[]; values: Record<string, string> }; // as: the body of the route was parsed
  return Object.keys(order.values).some((key) => parameterOf(key)?.risk !== undefined) ? new Set(order.dcuIds).size : 0;
}

export const dcuConfig = {
  list: route({
    method: 'GET',
    path: '/action/dcu-config',
    summary: 'DCUs, and how many of their parameters differ from what is wanted',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      node: nodeKey.optional(),
      dcuTypeId: id.optional(),
      search: z.string().max(64).optional(),
      differs: z.stringbool().optional(),
    }),
    response: pageOf(dcuConfigRow),
  }),
  types: route({
    method: 'GET',
    path: '/action/dcu-config-type',
    summary: 'Types of the DCUs that can be configured',
    allow: { page, action: 'view' },
    response: listOf(z.object({ id, name: z.string() })),
  }),
  get: route({
    method: 'GET',
    path: '/action/dcu-config/{id}',
    summary: 'Parameters of a DCU, wanted and real',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(dcuParameterRow).extend({ sn: z.string() }),
    errors: ['DCU_NOT_FOUND'],
  }),
  read: route({
    method: 'POST',
    path: '/action/dcu-config-order/read',
    summary: 'Read parameters; without keys all of them',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ dcuIds, keys: z.array(keys).max(100).default([]) }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND'],
  }),
  write: route({
    method: 'POST',
    path: '/action/dcu-config-order/write',
    summary: 'Write parameters, what touches the link last; to many DCUs ring by ring',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    silences: (body) => devicesAtRisk(body),
    body: z.object({
      dcuIds,
      values,
      reason,
      /** DCUs of the first ring; each following one is four times as large, and begins when all before it went well. */
      firstRing: z.number().int().min(1).max(1000).default(1),
      /** How long every ring is watched before the next one begins: its DCUs must still be there. */
      canaryS: z.number().int().min(0).max(86_400).default(0),
      /** A DCU that is offline: fail now, or wait for it so many hours. A new link and later rings wait an hour in any case. */
      waitHours: z.number().int().min(0).max(72).default(0),
      /** How long a new link set is on trial. */
      trialS: z.number().int().min(2).max(3600).default(600),
    }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  restart: route({
    method: 'POST',
    path: '/action/dcu-config/{id}/restart',
    summary: 'Restart a DCU',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    silences: () => 1,
    params: idParams,
    body: z.object({ reason }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND'],
  }),
  factory: route({
    method: 'POST',
    path: '/action/dcu-config/{id}/factory',
    summary: 'Put a DCU back to its factory state; its serial number is typed',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    silences: () => 1,
    params: idParams,
    body: z.object({ sn: z.string().max(32), reason }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'WRONG_SN'],
  }),
  templates: route({
    method: 'GET',
    path: '/action/dcu-template',
    summary: 'Sets of parameters for many DCUs',
    allow: { page, action: 'view' },
    response: listOf(dcuTemplate),
  }),
  saveTemplate: route({
    method: 'POST',
    path: '/action/dcu-template',
    summary: 'Keep a set of parameters; one of the same name is replaced',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ name: z.string().trim().min(1).max(64), values }),
    response: dcuTemplate,
    errors: ['VALIDATION'],
  }),
  removeTemplate: route({
    method: 'DELETE',
    path: '/action/dcu-template/{id}',
    summary: 'Delete a set of parameters',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
};
