import { z } from 'zod';
import { EVENT_EXAMPLE, pageOfOne } from '../examples.ts';
import { nodeKey } from '../asset/tree.ts';
import { csv, cursoredPageOf, cursorQuery, day, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { measured } from '../core/measured.ts';
import { route } from '../core/route.ts';
import { abnormalLevel, EVENT_LEVELS } from '../states/anomaly.ts';
import { eventDevice, eventDirection, eventLog, eventSource } from '../states/event.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.events;
export const MAX_NOTE_LENGTH = 256;
/** Maximum number of events or incidents per call. */
export const MAX_EVENTS_AT_ONCE = 500;
export const MAX_INCIDENTS_AT_ONCE = 100;

/** Level of a stored event; `all` exists in filters only. */
export const storedLevel = z.enum(EVENT_LEVELS).nullable();

export const eventRow = z.object({
  id,
  deviceKind: eventDevice,
  meterId: id.nullable(),
  meterSn: z.string().nullable(),
  /** Null: the event belongs to the head-end itself. */
  dcuId: id.nullable(),
  /** Null: the event of a direct meter. */
  dcuSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  log: eventLog,
  code: z.number().int(),
  /** Null: the code has no name in the catalogue. */
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  occurAt: instant,
  receivedAt: instant,
  direction: eventDirection,
  /** Values of the row other than its time, by their names in the device. */
  message: z.string(),
  /** Octets of the row in hex. */
  raw: z.string(),
  note: z.string().nullable(),
  abnormalLevel: storedLevel,
  source: eventSource,
  isMuted: z.boolean(),
  ackAt: instant.nullable(),
  ackByName: z.string().nullable(),
  /** Time of the event that ends this one. */
  recoveredAt: instant.nullable(),
  incidentId: id.nullable(),
  traceId: z.string().nullable(),
  version: z.number().int(),
});
export type EventRow = z.infer<typeof eventRow>;

/** Incident: events of the same code and DCU, each within ten minutes of the previous one. */
export const incidentRow = z.object({
  id,
  dcuId: id,
  /** Serial number of the DCU, or of the direct meter itself. */
  dcuSn: z.string(),
  transformerName: z.string().nullable(),
  log: eventLog,
  code: z.number().int(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  abnormalLevel: storedLevel,
  openedAt: instant,
  lastAt: instant,
  /** Recovery time of the last member; null while a member has not recovered, or if the code has no recovery. */
  closedAt: instant.nullable(),
  members: z.number().int(),
  devices: z.number().int(),
  acknowledged: z.number().int(),
  /** Number of meters of the DCU: if all are members, the cause is probably upstream of the meters. */
  devicesOfDcu: z.number().int(),
  /** Time without recovery, summed over the members that the call matches. Members whose code has no recovery count for none. */
  weight: measured('h'),
});
export type IncidentRow = z.infer<typeof incidentRow>;

export const eventCode = z.object({
  log: eventLog,
  code: z.number().int().min(0).max(65_535),
  nameEn: z.string().trim().min(1).max(64),
  nameZh: z.string().trim().min(1).max(64),
  abnormalLevel: storedLevel,
  direction: eventDirection,
  /** Code in the same log that ends the occurrence. */
  pairCode: z.number().int().min(0).max(65_535).nullable(),
  enabled: z.boolean(),
  version: z.number().int(),
});
export type EventCode = z.infer<typeof eventCode>;

export const muteRow = z.object({
  id,
  deviceKind: z.enum(['dcu', 'meter']),
  deviceId: id,
  deviceSn: z.string(),
  log: eventLog,
  code: z.number().int(),
  until: instant,
  reason: z.string(),
  mutedByName: z.string().nullable(),
});
export type MuteRow = z.infer<typeof muteRow>;

/** Filters of lists, counts and incidents. Days are local days of the utility, at most 31. */
const filters = z.object({
  level: abnormalLevel.default('all'),
  from: day.optional(),
  to: day.optional(),
  /** Log and code, such as `fraud:40`. */
  codes: csv(z.string().regex(/^[a-z]+:\d{1,5}$/)).optional(),
  logs: csv(eventLog).optional(),
  search: z.string().max(64).optional(),
  node: nodeKey.optional(),
  direction: eventDirection.optional(),
  acknowledged: z.stringbool().optional(),
  incidentId: id.optional(),
});
export type EventFilters = z.output<typeof filters>;

const listQuery = pageQuery.extend(filters.shape);

export const eventNote = z.object({ note: z.string().trim().max(MAX_NOTE_LENGTH), version: z.number().int() });

export const event = {
  list: route({
    method: 'GET',
    path: '/event',
    summary: 'Events of meters and DCUs, newest first',
    allow: { page, action: 'view' },
    query: listQuery.safeExtend(cursorQuery),
    v1: {
      description:
        'Lists events of meters and DCUs, newest first. To receive each event once, begin with after=0, keep next, and pass it as after in the next call; events appear there some seconds after they were received.',
      example: { query: { after: '500122', size: '500' }, response: { ...pageOfOne(EVENT_EXAMPLE), next: '500123' } },
    },
    response: cursoredPageOf(eventRow),
    errors: ['VALIDATION', 'RANGE_TOO_LONG'],
  }),
  facets: route({
    method: 'GET',
    path: '/event/facets',
    summary: 'Number of events by level and by code',
    allow: { page, action: 'view' },
    query: filters,
    response: z.object({
      all: z.number().int(),
      serious: z.number().int(),
      warning: z.number().int(),
      unacknowledged: z.number().int(),
      /** Most frequent first. */
      byCode: z.array(
        z.object({
          log: eventLog,
          code: z.number().int(),
          nameEn: z.string().nullable(),
          nameZh: z.string().nullable(),
          abnormalLevel: storedLevel,
          count: z.number().int(),
        }),
      ),
    }),
    errors: ['VALIDATION', 'RANGE_TOO_LONG'],
  }),
  incidents: route({
    method: 'GET',
    path: '/event/incident',
    summary: 'Incidents: events grouped by cause, newest first or by weight',
    allow: { page, action: 'view' },
    query: listQuery,
    response: pageOf(incidentRow),
    errors: ['VALIDATION', 'RANGE_TOO_LONG'],
  }),
  get: route({
    method: 'GET',
    path: '/event/{id}',
    summary: 'One event',
    allow: { page, action: 'view' },
    params: idParams,
    v1: {
      description: 'Returns one event with its values and raw octets.',
      example: { params: { id: '500123' }, response: EVENT_EXAMPLE },
    },
    response: eventRow,
    errors: ['NOT_FOUND'],
  }),
  acknowledge: route({
    method: 'PUT',
    path: '/event/ack',
    summary: 'Acknowledge events, or all members of incidents',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/event',
    body: z.object({
      ids: z.array(id).max(MAX_EVENTS_AT_ONCE).default([]),
      incidentIds: z.array(id).max(MAX_INCIDENTS_AT_ONCE).default([]),
    }),
    v1: {
      description: 'Acknowledges events, or all members of incidents, in the name of the service account.',
      example: { body: { ids: ['500123'] }, response: { acknowledged: 1 } },
    },
    response: z.object({ acknowledged: z.number().int() }),
    errors: ['VALIDATION', 'NOTHING_TO_DO'],
  }),
  note: route({
    method: 'PUT',
    path: '/event/{id}/note',
    summary: 'Set the note of an event',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/event',
    params: idParams,
    body: eventNote,
    response: eventRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE'],
  }),
  mutes: route({
    method: 'GET',
    path: '/event/mute',
    summary: 'Muted event codes by device',
    allow: { page, action: 'view' },
    response: listOf(muteRow),
  }),
  mute: route({
    method: 'POST',
    path: '/event/mute',
    summary: 'Mute a code of a device for a time: its events are stored but not announced',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ eventId: id, until: instant, reason: z.string().trim().min(1).max(256) }),
    response: muteRow,
    status: 201,
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  unmute: route({
    method: 'DELETE',
    path: '/event/mute/{id}',
    summary: 'Unmute a code of a device',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
  codes: route({
    method: 'GET',
    path: '/event/code',
    summary: 'Catalogue of event codes',
    allow: 'signed-in',
    response: listOf(eventCode),
  }),
  saveCode: route({
    method: 'PUT',
    path: '/event/code',
    summary: 'Add or change a code of the catalogue; `version` 0 adds it',
    allow: { page, action: 'configure' },
    endangers: 'nothing',
    body: eventCode,
    response: eventCode,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
};
