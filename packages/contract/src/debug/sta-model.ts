import { z } from 'zod';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { stationHistory, topologyNode } from '../network/topology.ts';
import { recordedPhase } from '../states/device.ts';
import { signalStrength } from '../states/signal.ts';
import { libraryVerdict, stationRole, stationState } from '../states/topology.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.stations;
const view = { page, action: 'view' } as const;
const execute = { page, action: 'execute' } as const;

/** A module with its position in the network; fields of a part that was not read are null. */
export const stationRow = z.object({
  ...topologyNode.omit({ sn: true, longitude: true, latitude: true, freshness: true }).shape,
  sn: z.string().nullable(),
  parentSn: z.string().nullable(),
  state: stationState,
  isInArchive: z.boolean(),
  chipId: z.string().nullable(),
  vendor: z.string().nullable(),
  hwVersion: z.string().nullable(),
  builtOn: day.nullable(),
  /** Noise in dBµV by equal sub-bands, lowest first; empty: not measured. */
  noise: z.array(z.number()),
  boots: z.number().int().nullable(),
  uptimeS: z.number().int().nullable(),
  readAt: instant.nullable(),
  replacedAt: instant.nullable(),
  /** Newest approved firmware for the module; null: none in the library. */
  library: z.object({ firmwareId: id, version: z.string(), verdict: libraryVerdict }).nullable(),
  /** All fields of the entry as read. */
  raw: z.record(z.string(), z.unknown()).nullable(),
});
export type StationRow = z.infer<typeof stationRow>;

export const nearStation = topologyNode.pick({
  mac: true,
  sn: true,
  level: true,
  link: true,
  signal: true,
  signalValue: true,
  signalUnit: true,
  isOnline: true,
});
export type NearStation = z.infer<typeof nearStation>;

const filters = z.object({
  dcuId: id,
  role: csv(stationRole).optional(),
  vendor: z.string().max(64).optional(),
  version: z.string().max(64).optional(),
  levelFrom: z.coerce.number().int().min(0).max(15).optional(),
  signal: csv(signalStrength).optional(),
  phase: csv(recordedPhase).optional(),
  state: csv(stationState).optional(),
  search: z.string().max(64).optional(),
});
export type StationFilters = z.output<typeof filters>;

export const stationPing = z.object({
  number: z.number().int(),
  at: instant,
  ms: z.number().int().nullable(),
  reasonCode: z.string().nullable(),
});
const stationParams = z.object({ mac: z.string().regex(/^[0-9A-F]{2,32}$/) });

export const staModel = {
  list: route({
    method: 'GET',
    path: '/debug/sta-model',
    summary: 'Stations of a DCU with their modules',
    allow: view,
    query: pageQuery.extend(filters.shape),
    response: pageOf(stationRow),
    errors: ['DCU_NOT_FOUND'],
  }),
  summary: route({
    method: 'GET',
    path: '/debug/sta-model/summary',
    summary: 'Modules of a DCU by vendor and version, roles and hops',
    allow: view,
    query: z.object({ dcuId: id }),
    response: z.object({
      total: z.number().int(),
      readAt: instant.nullable(),
      modules: z.array(z.object({ vendor: z.string(), version: z.string(), count: z.number().int() })),
      roles: z.record(stationRole, z.number().int()),
      states: z.record(stationState, z.number().int()),
      levels: z.array(z.object({ level: z.number().int(), count: z.number().int() })),
    }),
    errors: ['DCU_NOT_FOUND'],
  }),
  get: route({
    method: 'GET',
    path: '/debug/sta/{mac}',
    summary: 'History of a station, with its neighbours',
    allow: view,
    params: stationParams,
    query: z.object({ dcuId: id }),
    response: stationHistory.extend({ near: z.array(nearStation) }),
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND'],
  }),
  read: route({
    method: 'POST',
    path: '/debug/sta-model/read',
    summary: 'Read the modules and the network from the DCU',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ dcuId: id }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
  ping: route({
    method: 'POST',
    path: '/debug/sta/{mac}/ping',
    summary: 'Ping a station by repeated reads of its name',
    allow: execute,
    endangers: 'nothing',
    params: stationParams,
    body: z.object({
      dcuId: id,
      count: z.number().int().min(1).max(20).default(4),
      intervalS: z.number().int().min(1).max(60).default(1),
    }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND', 'METER_NOT_FOUND'],
  }),
  pings: route({
    method: 'GET',
    path: '/debug/sta/{mac}/ping',
    summary: 'Results of the pings of a station',
    allow: view,
    params: stationParams,
    query: z.object({ taskId: id, dcuId: id }),
    response: listOf(stationPing),
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND'],
  }),
  restart: route({
    method: 'POST',
    path: '/debug/sta/{mac}/restart',
    summary: 'Restart the module of a station; its restart counter confirms the restart',
    allow: execute,
    endangers: 'reach',
    silences: () => 1,
    params: stationParams,
    body: z.object({ dcuId: id, reason: z.string().trim().min(1).max(256) }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
  replaced: route({
    method: 'PUT',
    path: '/debug/sta/{mac}/replaced',
    summary: 'Note that the module of a station was replaced',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: stationParams,
    body: z.object({ dcuId: id, reason: z.string().trim().min(1).max(256) }),
    response: z.object({ mac: z.string(), replacedAt: instant }),
    errors: ['VALIDATION', 'DCU_NOT_FOUND', 'NOT_FOUND'],
  }),
};
