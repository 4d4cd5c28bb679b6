import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { closeReason, communicateType, connectionType, dataChannel, dcuOnlineStatus, freshness } from '../states/device.ts';
import { nodeKey } from './tree.ts';

export const dcuRow = z.object({
  id,
  sn: z.string(),
  name: z.string(),
  dcuTypeId: id,
  dcuTypeName: z.string(),
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
  protocol: z.enum(['dlms_wrapper', 'dlms_hdlc']),
  communicateType,
  connectionType,
  host: z.string().nullable(),
  port: z.number().int().nullable(),
  authenticationType: z.string(),
  dataChannel,
  country: z.string().nullable(),
  onlineStatus: dcuOnlineStatus,
  /** Communicate time. */
  lastCommAt: instant.nullable(),
  freshness,
  remote: z.string().nullable(),
  firmwareVersion: z.string().nullable(),
  meters: z.number().int(),
  /** Of its meters, heard in the past 24 hours. */
  metersFresh: z.number().int(),
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
});
export type DcuRow = z.infer<typeof dcuRow>;

export const dcuSessionRow = z.object({
  id,
  claimedName: z.string().nullable(),
  dcuSn: z.string().nullable(),
  direction: connectionType,
  remote: z.string(),
  openedAt: instant,
  identifiedAt: instant.nullable(),
  closedAt: instant.nullable(),
  closeReason: closeReason.nullable(),
  closeDetail: z.string().nullable(),
  bytesIn: z.number().int(),
  bytesOut: z.number().int(),
});
export type DcuSessionRow = z.infer<typeof dcuSessionRow>;

export const dcuDetail = dcuRow.extend({
  levelName: z.string().nullable(),
  systemTitle: z.string().nullable(),
  clientSap: z.number().int(),
  serverSap: z.number().int(),
  hasKeys: z.boolean(),
  clockDeviationS: z.number().int().nullable(),
  createdAt: instant,
  version: z.number().int(),
  /** Minutes online in each of the past 72 hours, oldest first; null before it was registered. */
  onlineMinutes: z.array(z.number().int().nullable()),
  /** Today's interval data of its meters: got and expected slots of load profile A, and daily freezes. */
  completeness: z.object({
    lpaGot: z.number().int(),
    lpaExpected: z.number().int(),
    dailyGot: z.number().int(),
    dailyExpected: z.number().int(),
  }),
  plcMeters: z.number().int(),
  rfMeters: z.number().int(),
});
export type DcuDetail = z.infer<typeof dcuDetail>;

const page = '/assets/dcu';

export const dcu = {
  list: route({
    method: 'GET',
    path: '/asset/dcu',
    summary: 'DCUs',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      onlineStatus: csv(dcuOnlineStatus).optional(),
      freshness: csv(freshness).optional(),
      connectionType: csv(connectionType).optional(),
      node: nodeKey.optional(),
    }),
    response: pageOf(dcuRow),
  }),
  /** Counts for the facet strip, under the same filters but the facet's own. */
  facets: route({
    method: 'GET',
    path: '/asset/dcu/facets',
    summary: 'DCUs by freshness and online status',
    allow: { page, action: 'view' },
    query: z.object({ search: z.string().max(64).optional(), node: nodeKey.optional() }),
    response: z.object({
      total: z.number().int(),
      freshness: z.record(freshness, z.number().int()),
      onlineStatus: z.record(dcuOnlineStatus, z.number().int()),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/asset/dcu/{id}',
    summary: 'One DCU',
    allow: { page, action: 'view' },
    params: idParams,
    response: dcuDetail,
    errors: ['DCU_NOT_FOUND'],
  }),
  sessions: route({
    method: 'GET',
    path: '/asset/dcu/{id}/sessions',
    summary: 'Its newest connections and why they ended',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(dcuSessionRow),
    errors: ['DCU_NOT_FOUND'],
  }),
  unregistered: route({
    method: 'GET',
    path: '/asset/dcu/unregistered',
    summary: 'Callers that are in no archive, and connections that never said who they are',
    allow: { page, action: 'view' },
    response: z.object({
      items: z.array(
        z.object({
          claimedName: z.string(),
          remote: z.string(),
          systemTitle: z.string().nullable(),
          firstSeenAt: instant,
          lastSeenAt: instant,
          timesSeen: z.number().int(),
        }),
      ),
      anonymous: z.array(dcuSessionRow),
    }),
  }),
};
