import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { route } from '../core/route.ts';
import { optionalName, RULES } from '../core/rules.ts';
import {
  authenticationType,
  closeReason,
  communicateType,
  connectionType,
  dataChannel,
  dcuOnlineStatus,
  dcuProtocol,
  freshness,
} from '../states/device.ts';
import { SPOKEN, spokenChoice } from '../states/spoken.ts';
import { signalStrength } from '../states/signal.ts';
import { uplinkReading } from '../states/uplink.ts';
import { deviceKeys, storedKeys, systemTitle } from './device.ts';
import { country, latitude, longitude, optionalText } from './fields.ts';
import { nodeKey } from './tree.ts';
import { measured } from '../core/measured.ts';

export const dcuRow = z.object({
  id,
  sn: z.string(),
  name: z.string(),
  dcuTypeId: id,
  dcuTypeName: z.string(),
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
  protocol: dcuProtocol,
  communicateType,
  connectionType,
  host: z.string().nullable(),
  port: z.number().int().nullable(),
  authenticationType,
  dataChannel,
  country: z.string().nullable(),
  onlineStatus: dcuOnlineStatus,
  /** Communicate time. */
  lastCommAt: instant.nullable(),
  freshness,
  remote: z.string().nullable(),
  firmwareVersion: z.string().nullable(),
  /** Of ours, and as its own archive had them at the last comparison; null: it was never compared. */
  meters: z.number().int(),
  archiveEntries: z.number().int().nullable(),
  /** Of its meters, heard in the past 24 hours. */
  metersFresh: z.number().int(),
  clockDeviationS: z.number().int().nullable(),
  /** Null: nobody has asked it yet. */
  uplink: uplinkReading.nullable(),
  /** Class of what its modem hears; null: it has none, or nobody has asked. */
  signal: signalStrength.nullable(),
  /** Share of the past 24 hours online, of the time for which it is known; null: nothing is known. */
  availability24h: measured('%').nullable(),
  /** Of the device itself, or else of its transformer. */
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
  version: z.number().int(),
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

/** The rest of the hour is unknown: the head-end was down, the DCU was not registered yet, or the hour is not over. */
export const onlineHour = z.object({ startsAt: instant, onlineSeconds: z.number().int(), knownSeconds: z.number().int() });
export type OnlineHour = z.infer<typeof onlineHour>;

export const dcuDetail = dcuRow.extend({
  levelName: z.string().nullable(),
  systemTitle: z.string().nullable(),
  clientSap: z.number().int(),
  serverSap: z.number().int(),
  /** Whether everything is stored that its authentication needs. */
  hasKeys: z.boolean(),
  /** Which secrets are stored; what they are is never told. */
  keys: storedKeys,
  simIccid: z.string().nullable(),
  apn: z.string().nullable(),
  msisdn: z.string().nullable(),
  note: z.string().nullable(),
  /** Its own position, without its transformer's. */
  ownLongitude: z.number().nullable(),
  ownLatitude: z.number().nullable(),
  createdAt: instant,
  /** Each of the last 72 hours, oldest first; the current hour is the last. */
  onlineHours: z.array(onlineHour),
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

/** What the form of a DCU holds beside its serial number, which never changes: keys and readings hang on it. */
const dcuFields = z.object({
  name: optionalName(64),
  dcuTypeId: id,
  transformerId: id.nullable().default(null),
  protocol: spokenChoice(SPOKEN.protocol),
  communicateType,
  connectionType,
  host: optionalText(253),
  port: z.coerce.number().int().min(1).max(65_535).nullable().default(null),
  authenticationType: spokenChoice(SPOKEN.authenticationType),
  clientSap: z.coerce.number().int().min(1).max(126).default(1),
  serverSap: z.coerce.number().int().min(1).max(16_383).default(1),
  systemTitle,
  dataChannel,
  country,
  longitude,
  latitude,
  simIccid: optionalText(22),
  apn: optionalText(64),
  msisdn: optionalText(20),
  note: optionalText(512),
});

const reachable = (fields: { connectionType: string; host: string | null }) => fields.connectionType === 'dial_in' || fields.host !== null;
const needsHost = { path: ['host'], message: RULES.host.en };

export const dcuSn = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{6,32}$/, RULES.dcuSn.en)
  .transform((sn) => sn.toUpperCase());
export const newDcu = dcuFields.extend({ sn: dcuSn, keys: deviceKeys.optional() }).refine(reachable, needsHost);
export const dcuChange = dcuFields.extend({ version: z.number().int() }).refine(reachable, needsHost);

export const MAX_DCUS_AT_ONCE = 500;
export const dcuIds = z.array(id).min(1, RULES.selectData.en).max(MAX_DCUS_AT_ONCE);
/** What is asked before a DCU is restarted. */

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
      signal: csv(signalStrength).optional(),
      dcuTypeId: csv(id).optional(),
      supplierId: csv(id).optional(),
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
  /** For the form and the filters: types and makers there are. */
  options: route({
    method: 'GET',
    path: '/asset/dcu/option',
    summary: 'DCU types and suppliers to choose from',
    allow: { page, action: 'view' },
    response: z.object({
      types: z.array(
        z.object({
          id,
          code: z.string(),
          name: z.string(),
          protocol: dcuProtocol,
          authenticationType,
          dataChannel,
          maxMeters: z.number().int(),
        }),
      ),
      suppliers: z.array(z.object({ id, name: z.string() })),
      /** Where most DCUs stand: what a new one begins with. */
      country: z.string().nullable(),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/asset/dcu',
    summary: 'Register a DCU; a caller of this name that was parked is let in when it dials again',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newDcu,
    response: dcuDetail,
    status: 201,
    errors: ['KEY_SHARED', 'VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/dcu/{id}',
    summary: 'Change a DCU; a running session takes it over',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: dcuChange,
    response: dcuDetail,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'STALE', 'UNKNOWN_REFERENCE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/dcu/{id}',
    summary: 'Delete a DCU that serves no meters; its connection ends',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['DCU_NOT_FOUND', 'HAS_ARCHIVES'],
  }),
  setKeys: route({
    method: 'PUT',
    path: '/asset/dcu/{id}/keys',
    summary: 'Replace or clear secrets of a DCU; they can never be read back',
    allow: { page, action: 'edit' },
    endangers: 'keys',
    params: idParams,
    body: deviceKeys,
    response: dcuDetail,
    errors: ['KEY_SHARED', 'VALIDATION', 'DCU_NOT_FOUND'],
  }),
  move: route({
    method: 'PUT',
    path: '/asset/dcu/transformer',
    summary: 'Put DCUs under another transformer, or under none',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: dcuIds, transformerId: id.nullable() }),
    response: z.object({ moved: z.number().int() }),
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'UNKNOWN_REFERENCE'],
  }),
  // Whoever looks after links tests them: the right to edit a DCU, not one of its own.
  test: route({
    method: 'POST',
    path: '/asset/dcu/{id}/test',
    summary: 'Associate with the DCU and ask its name; the steps arrive as results of the task',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND'],
  }),
  readInfo: route({
    method: 'POST',
    path: '/asset/dcu/read-info',
    summary: 'Read identity, firmware, clock, network, modem and archive count of DCUs',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: dcuIds }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND'],
  }),
  restart: route({
    method: 'POST',
    path: '/asset/dcu/{id}/restart',
    summary: 'Restart a DCU, with a reason',
    allow: { page, action: 'edit' },
    endangers: 'reach',
    silences: () => 1,
    params: idParams,
    body: reasonGiven,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND'],
  }),
  forgetCaller: route({
    method: 'DELETE',
    path: '/asset/dcu/unregistered',
    summary: 'Take a caller off the list of unregistered DCUs; it comes back when it dials again',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    query: z.object({ name: z.string().min(1).max(64) }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
};
