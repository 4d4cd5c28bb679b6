import { z } from 'zod';
import { DCU_EXAMPLE, pageOfOne } from '../examples.ts';
import { csv, cursoredPageOf, cursorQuery, id, idParams, instant, listOf, pageQuery, taskRef } from '../core/page.ts';
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
import { SPOKEN, spokenChoice } from './spoken.ts';
import { signalStrength } from '../states/signal.ts';
import { uplinkReading } from '../states/uplink.ts';
import { deviceKeys, storedKeys, systemTitle } from './device.ts';
import { country, latitude, longitude, optionalText } from './fields.ts';
import { isReachable, NEEDS_HOST, physicalAddress, port } from './connection.ts';
import { nodeKey } from './tree.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

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
  /** Time of the last communication. */
  lastCommAt: instant.nullable(),
  freshness,
  remote: z.string().nullable(),
  firmwareVersion: z.string().nullable(),
  /** Meters bound in the head-end, and entries of the DCU's own archive at the last comparison; null: never compared. */
  meters: z.number().int(),
  archiveEntries: z.number().int().nullable(),
  /** Meters of the DCU with communication in the last 24 hours. */
  metersFresh: z.number().int(),
  clockDeviationS: z.number().int().nullable(),
  /** Null: not read yet. */
  uplink: uplinkReading.nullable(),
  /** Signal class of its modem; null: the DCU has no modem, or it was not read yet. */
  signal: signalStrength.nullable(),
  /** Online time of the last 24 hours over the time for which it is known; null: unknown. */
  availability24h: measured('%').nullable(),
  /** Position of the device, otherwise that of its transformer. */
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

/** Online time of one hour. The rest of the hour is unknown if the head-end was down, the DCU was not registered, or the hour is not over. */
export const onlineHour = z.object({ startsAt: instant, onlineSeconds: z.number().int(), knownSeconds: z.number().int() });
export type OnlineHour = z.infer<typeof onlineHour>;

export const dcuDetail = dcuRow.extend({
  levelName: z.string().nullable(),
  systemTitle: z.string().nullable(),
  clientSap: z.number().int(),
  serverSap: z.number().int(),
  /** Lower address of HDLC; null: none, or that of its first message. */
  physicalAddress: z.number().int().nullable(),
  /** Whether all secrets that its authentication needs are stored. */
  hasKeys: z.boolean(),
  /** Whether each secret is stored; values are never returned. */
  keys: storedKeys,
  simIccid: z.string().nullable(),
  apn: z.string().nullable(),
  msisdn: z.string().nullable(),
  note: z.string().nullable(),
  /** Position of the device itself. */
  ownLongitude: z.number().nullable(),
  ownLatitude: z.number().nullable(),
  createdAt: instant,
  /** The last 72 hours, oldest first, including the current one. */
  onlineHours: z.array(onlineHour),
  /** Today's completeness of its meters: received and expected slots of load profile A, and daily freezes. */
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

/** Editable fields of a DCU. The serial number is not editable because keys and readings refer to it. */
const dcuFields = z.object({
  name: optionalName(64),
  dcuTypeId: id,
  transformerId: id.nullable().default(null),
  protocol: spokenChoice(SPOKEN.protocol),
  communicateType,
  connectionType,
  host: optionalText(253),
  port,
  authenticationType: spokenChoice(SPOKEN.authenticationType),
  clientSap: z.coerce.number().int().min(1).max(126).default(1),
  serverSap: z.coerce.number().int().min(1).max(16_383).default(1),
  physicalAddress,
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

export const dcuSn = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{6,32}$/, RULES.dcuSn.en)
  .transform((sn) => sn.toUpperCase());
export const newDcu = dcuFields.extend({ sn: dcuSn, keys: deviceKeys.optional() }).refine(isReachable, NEEDS_HOST);
export const dcuChange = dcuFields.extend({ version: z.number().int() }).refine(isReachable, NEEDS_HOST);

export const MAX_DCUS_AT_ONCE = 500;
export const dcuIds = z.array(id).min(1, RULES.selectData.en).max(MAX_DCUS_AT_ONCE);

const page = PAGE_PATH.dcus;

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
      ...cursorQuery,
    }),
    v1: {
      description:
        'Lists the DCUs in your area with their connection and the number of their meters: by serial number, or in the order of their ids with after.',
      example: { query: { search: 'DCU0000031' }, response: { ...pageOfOne(DCU_EXAMPLE), next: null } },
    },
    response: cursoredPageOf(dcuRow),
  }),
  /** Counts by facet under the other filters. */
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
    summary: 'Newest connections of a DCU, with the reasons of their ends',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(dcuSessionRow),
    errors: ['DCU_NOT_FOUND'],
  }),
  near: route({
    method: 'GET',
    path: '/asset/dcu/near',
    summary: 'DCUs to install a meter behind: the nearest first, as far as the position is given and stored',
    allow: { page: PAGE_PATH.meterAssets, action: 'view' },
    query: z
      .object({
        search: z.string().max(64).optional(),
        longitude: z.coerce.number().min(-180).max(180).optional(),
        latitude: z.coerce.number().min(-90).max(90).optional(),
      })
      .refine((place) => (place.longitude === undefined) === (place.latitude === undefined), {
        path: ['latitude'],
        message: RULES.position.en,
      }),
    response: listOf(
      z.object({
        id,
        sn: z.string(),
        name: z.string(),
        transformerName: z.string().nullable(),
        onlineStatus: dcuOnlineStatus,
        /** Null: the position of the DCU and of its transformer, or that of the caller, is not known. */
        distanceM: z.number().int().nullable(),
      }),
    ),
  }),
  unregistered: route({
    method: 'GET',
    path: '/asset/dcu/unregistered',
    summary: 'Unregistered DCUs that connect, and connections that closed before identification',
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
      /** Country of most DCUs: the default of a new one. */
      country: z.string().nullable(),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/asset/dcu',
    summary: 'Register a DCU; an unregistered DCU with this serial number is admitted at its next connection',
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
    summary: 'Change a DCU; an open connection uses the new values',
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
    summary: 'Replace or delete secrets of a DCU; they cannot be read',
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
    summary: 'Move DCUs to another transformer, or unbind them',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: dcuIds, transformerId: id.nullable() }),
    response: z.object({ moved: z.number().int() }),
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'UNKNOWN_REFERENCE'],
  }),
  // Testing a link needs the right to edit a DCU, not a separate one.
  test: route({
    method: 'POST',
    path: '/asset/dcu/{id}/test',
    summary: 'Test the association with a DCU; the result of the task lists the steps',
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
    summary: 'Restart a DCU',
    allow: { page, action: 'edit' },
    endangers: 'reach',
    silences: () => 1,
    params: idParams,
    body: reasonGiven,
    v1: {
      description:
        'Orders the restart of a DCU. Its meters are out of reach until it has started again. The service account needs the permission to restart, configure and upgrade devices; above ten devices an hour a person has to approve.',
      example: { params: { id: '31' }, body: { reason: 'Hangs since 6:00' }, response: { taskId: '9003' } },
    },
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'DCU_LACKS'],
  }),
  forgetCaller: route({
    method: 'DELETE',
    path: '/asset/dcu/unregistered',
    summary: 'Remove an entry from the list of unregistered DCUs; it returns at its next connection',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    query: z.object({ name: z.string().min(1).max(64) }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
};
