import { z } from 'zod';
import { csv, id, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { networkMode, topologySwitchOperation, topologySwitchState } from '../states/topology.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.topologySwitch;
const view = { page, action: 'view' } as const;
const dcuParams = z.object({ dcuId: id });

export const topologySetting = z.object({
  dcuId: id,
  capture: z.boolean(),
  pollMin: z.number().int(),
  depthDays: z.number().int(),
  updatedAt: instant.nullable(),
  updatedByName: z.string().nullable(),
  lastTakenAt: instant.nullable(),
});
export type TopologySetting = z.infer<typeof topologySetting>;

const figures = z.object({
  nodes: z.number().int(),
  meanLevel: z.number(),
  successPct: z.number().nullable(),
  /** For an order that selects the media: media in use. */
  mode: networkMode.optional(),
});
export type SwitchFigures = z.infer<typeof figures>;

export const topologySwitchRow = z.object({
  id,
  dcuId: id,
  dcuSn: z.string(),
  taskId: id,
  operation: topologySwitchOperation,
  state: topologySwitchState,
  reason: z.string(),
  reasonCode: z.string().nullable(),
  before: figures.nullable(),
  after: figures.nullable(),
  startedAt: instant,
  endedAt: instant.nullable(),
  startedByName: z.string().nullable(),
});
export type TopologySwitchRow = z.infer<typeof topologySwitchRow>;

export const topologySettingChange = z.object({
  capture: z.boolean(),
  pollMin: z.number().int().min(5).max(1440),
  depthDays: z.number().int().min(1).max(31),
  /** The value that the caller last read; the call fails with `STALE` if the setting has changed since. */
  updatedAt: instant.nullable(),
});

export const topologySwitch = {
  setting: route({
    method: 'GET',
    path: '/debug/topology-setting/{dcuId}',
    summary: 'Settings of the topology capture of a DCU',
    allow: view,
    params: dcuParams,
    response: topologySetting,
    errors: ['DCU_NOT_FOUND'],
  }),
  saveSetting: route({
    method: 'PUT',
    path: '/debug/topology-setting/{dcuId}',
    summary: 'Change the topology capture of a DCU: on or off, and its interval',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: dcuParams,
    body: topologySettingChange,
    response: topologySetting,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'STALE'],
  }),
  list: route({
    method: 'GET',
    path: '/debug/topology-switch',
    summary: 'Orders to networks, with the network before and after',
    allow: view,
    query: pageQuery.extend({
      dcuId: id.optional(),
      operation: csv(topologySwitchOperation).optional(),
      from: instant.optional(),
      to: instant.optional(),
    }),
    response: pageOf(topologySwitchRow),
    errors: ['RANGE_TOO_LONG'],
  }),
  preview: route({
    method: 'GET',
    path: '/debug/topology-switch/{dcuId}',
    summary: 'Meters affected by an order to the network, and open orders that block it',
    allow: view,
    params: dcuParams,
    response: z.object({ meters: z.number().int(), blockedBy: z.array(z.string()) }),
    errors: ['DCU_NOT_FOUND'],
  }),
  order: route({
    method: 'POST',
    path: '/debug/topology-switch',
    summary: 'Switch topology reports, select media, rebuild the network, or restart the route module of a DCU',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ dcuId: id, operation: topologySwitchOperation, reason: z.string().trim().min(1, RULES.reason.en).max(256) }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
};
