import { z } from 'zod';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { communicationMode, freshness, inventoryState, meterPhase, recordedPhase, relayState } from '../states/device.ts';
import { nodeKey } from './tree.ts';

export const meterRow = z.object({
  id,
  sn: z.string(),
  meterTypeId: id,
  meterTypeName: z.string(),
  supplierName: z.string(),
  phase: meterPhase,
  accuracy: z.string().nullable(),
  voltage: z.string().nullable(),
  current: z.string().nullable(),
  isMaster: z.boolean(),
  communicationMode,
  inventoryState,
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  ctRatio: z.number(),
  ptRatio: z.number(),
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  isGenerator: z.boolean(),
  recordedPhase,
  relayState,
  firmwareVersion: z.string().nullable(),
  lastCommAt: instant.nullable(),
  lastReadAt: instant.nullable(),
  freshness,
});
export type MeterRow = z.infer<typeof meterRow>;

const page = '/meter/auto-meter-reading';

export const meter = {
  list: route({
    method: 'GET',
    path: '/asset/meter',
    summary: 'Meters',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      sns: csv(z.string().max(20)).optional(),
      node: nodeKey.optional(),
      inventoryState: csv(inventoryState).optional(),
      freshness: csv(freshness).optional(),
    }),
    response: pageOf(meterRow),
  }),
  get: route({
    method: 'GET',
    path: '/asset/meter/{id}',
    summary: 'One meter',
    allow: { page, action: 'view' },
    params: idParams,
    response: meterRow,
    errors: ['METER_NOT_FOUND'],
  }),
};
