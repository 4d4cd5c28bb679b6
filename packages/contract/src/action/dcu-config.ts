import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { parameterOf, parameterState } from './dcu-parameter.ts';
import { openOrder } from './device-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.dcuConfiguration;
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
  /** Number of parameters whose actual value differs from the desired one. */
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

/** DCUs of an order that may become unreachable: all of them if a parameter concerns the link or the service. */
function devicesAtRisk(body: unknown): number {
  const order = body as { dcuIds: string[]; values: Record<string, string> }; // as: the body of the route was parsed
  return Object.keys(order.values).some((key) => parameterOf(key)?.risk !== undefined) ? new Set(order.dcuIds).size : 0;
}

export const dcuConfig = {
  list: route({
    method: 'GET',
    path: '/action/dcu-config',
    summary: 'DCUs, with the number of parameters that differ from the desired values',
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
    summary: 'DCU types of configurable DCUs',
    allow: { page, action: 'view' },
    response: listOf(z.object({ id, name: z.string() })),
  }),
  get: route({
    method: 'GET',
    path: '/action/dcu-config/{id}',
    summary: 'Parameters of a DCU: desired and actual values',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(dcuParameterRow).extend({ sn: z.string() }),
    errors: ['DCU_NOT_FOUND'],
  }),
  read: route({
    method: 'POST',
    path: '/action/dcu-config-order/read',
    summary: 'Read parameters of DCUs; all of them if no keys are given',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ dcuIds, keys: z.array(keys).max(100).default([]) }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'DCU_LACKS'],
  }),
  write: route({
    method: 'POST',
    path: '/action/dcu-config-order/write',
    summary: 'Write parameters to DCUs, ring by ring; parameters of the link are written last',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    silences: (body) => devicesAtRisk(body),
    body: z.object({
      dcuIds,
      values,
      reason,
      /** DCUs of the first ring; each further ring is four times as large and starts when all earlier rings have succeeded. */
      firstRing: z.number().int().min(1).max(1000).default(1),
      /** Observation time of a ring in seconds: the next ring starts only if the DCUs are still online after it. */
      canaryS: z.number().int().min(0).max(86_400).default(0),
      /** Hours for which an item waits for an offline DCU; 0: it fails immediately. Parameters of the link and later rings wait at least one hour. */
      waitHours: z.number().int().min(0).max(72).default(0),
      /** Trial period of new link parameters in seconds, after which the DCU reverts unless they are confirmed. */
      trialS: z.number().int().min(2).max(3600).default(600),
    }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'NOTHING_TO_DO', 'DCU_LACKS'],
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
    errors: ['DCU_NOT_FOUND', 'DCU_LACKS'],
  }),
  factory: route({
    method: 'POST',
    path: '/action/dcu-config/{id}/factory',
    summary: 'Reset a DCU to factory settings; `sn` must repeat its serial number',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    silences: () => 1,
    params: idParams,
    body: z.object({ sn: z.string().max(32), reason }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'WRONG_SN', 'DCU_LACKS'],
  }),
  templates: route({
    method: 'GET',
    path: '/action/dcu-template',
    summary: 'Templates: named sets of parameters for several DCUs',
    allow: { page, action: 'view' },
    response: listOf(dcuTemplate),
  }),
  saveTemplate: route({
    method: 'POST',
    path: '/action/dcu-template',
    summary: 'Save a template; one of the same name is replaced only if `replaces` is its id',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ name: z.string().trim().min(1).max(64), values, replaces: id.optional() }),
    response: dcuTemplate,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  removeTemplate: route({
    method: 'DELETE',
    path: '/action/dcu-template/{id}',
    summary: 'Delete a template',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
};
