import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { authenticationType, dcuOnlineStatus, dcuProtocol } from '../states/device.ts';
import { DCU_PART_NAMES } from './dcu-part.ts';
import { SPOKEN, spokenChoice } from './spoken.ts';
import { DOWNLINK_TEXT, FEATURE_TEXT } from '../text/type-text.ts';
import { addressRanges, name, optionalText, someOf, typeCode } from './fields.ts';
import { profileFile, profileRow } from './southbound.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Keys of a table of texts as a non-empty tuple for z.enum. */
const keysOf = <K extends string>(table: Record<K, unknown>) => Object.keys(table) as [K, ...K[]]; // as: none of these tables is empty

export const DCU_FEATURES = keysOf(FEATURE_TEXT);
export type DcuFeature = (typeof DCU_FEATURES)[number];
export const DOWNLINK_MODES = keysOf(DOWNLINK_TEXT);

export const dcuTypeRow = z.object({
  id,
  code: z.string(),
  name: z.string(),
  supplierId: id,
  supplierName: z.string(),
  hardwareVersion: z.string().nullable(),
  protocol: dcuProtocol,
  authenticationType,
  /** Addresses and networks from which DCUs without keys may connect. */
  allowedAddresses: z.array(z.string()),
  downlinkModes: z.array(z.enum(DOWNLINK_MODES)),
  maxMeters: z.number().int(),
  heartbeatSeconds: z.number().int(),
  parallelMeters: z.number().int(),
  apduSize: measured('B').int(),
  profileId: id,
  profileName: z.string(),
  /** What DCUs of the type have besides forwarding, as the profile says. */
  parts: z.array(z.enum(DCU_PART_NAMES)),
  features: z.array(z.enum(DCU_FEATURES)),
  enabled: z.boolean(),
  /** The entry is part of the installation. */
  isBuiltin: z.boolean(),
  dcus: z.number().int(),
  updatedAt: instant,
  version: z.number().int(),
});
export type DcuTypeRow = z.infer<typeof dcuTypeRow>;

const fields = z.object({
  code: typeCode,
  name,
  hardwareVersion: optionalText(32),
  protocol: spokenChoice(SPOKEN.protocol).default('dlms_wrapper'),
  authenticationType: spokenChoice(SPOKEN.authenticationType).default('hls_gmac'),
  allowedAddresses: addressRanges.default([]),
  downlinkModes: someOf(DOWNLINK_MODES).default(['plc']),
  maxMeters: z.number().int().min(1).max(4096).default(1024),
  heartbeatSeconds: z.number().int().min(30).max(3600).default(300),
  parallelMeters: z.number().int().min(1).max(32).default(1),
  apduSize: measured('B').int().min(128).max(65_535).default(1024),
  features: z.array(spokenChoice(SPOKEN.features)).default([]),
  enabled: z.boolean().default(true),
});
export const newDcuType = fields.extend({ supplierId: id, profileId: id });
export const dcuTypeChange = newDcuType.extend({ version: z.number().int() });

/** File format of a DCU type with its profile and supplier; the allowed addresses are specific to a site and left out. */
export const dcuTypeFile = z.object({
  format: z.literal('hes-dcu-type'),
  type: fields.omit({ allowedAddresses: true }),
  supplier: z.object({ code: z.string(), name: z.string() }),
  profile: profileFile,
});

const page = PAGE_PATH.dcuTypes;

export const dcuType = {
  list: route({
    method: 'GET',
    path: '/asset/dcu-type',
    summary: 'DCU types',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      supplierId: csv(id).optional(),
      protocol: csv(spokenChoice(SPOKEN.protocol)).optional(),
      feature: csv(spokenChoice(SPOKEN.features)).optional(),
      enabled: z.stringbool().optional(),
    }),
    response: pageOf(dcuTypeRow),
  }),
  choices: route({
    method: 'GET',
    path: '/asset/dcu-type/choice',
    summary: 'Profiles and suppliers to choose from for a DCU type',
    allow: { page, action: 'view' },
    response: z.object({ profiles: z.array(profileRow), suppliers: z.array(z.object({ id, name: z.string(), enabled: z.boolean() })) }),
  }),
  get: route({
    method: 'GET',
    path: '/asset/dcu-type/{id}',
    summary: 'One DCU type',
    allow: { page, action: 'view' },
    params: idParams,
    response: dcuTypeRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/asset/dcu-type',
    summary: 'Add a DCU type',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newDcuType,
    response: dcuTypeRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/dcu-type/{id}',
    summary: 'Change a DCU type; the change applies to its DCUs from their next connection on',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: dcuTypeChange,
    response: dcuTypeRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BUILT_IN_CODE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/dcu-type/{id}',
    summary: 'Delete a DCU type without DCUs',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN_ENTRY'],
  }),
  file: route({
    method: 'GET',
    path: '/asset/dcu-type/{id}/file',
    summary: 'Export a DCU type with its profile as a file',
    allow: { page, action: 'export' },
    params: idParams,
    response: dcuTypeFile,
    errors: ['NOT_FOUND'],
  }),
  importFile: route({
    method: 'POST',
    path: '/asset/dcu-type/file',
    summary: 'Import a DCU type with its profile from a file',
    allow: { page, action: 'import' },
    endangers: 'nothing',
    body: dcuTypeFile,
    response: dcuTypeRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  /** DCUs on which the conformance check can run. */
  candidates: route({
    method: 'GET',
    path: '/asset/dcu-type/{id}/dcu',
    summary: 'DCUs of a type, online ones first',
    allow: { page, action: 'view' },
    params: idParams,
    query: z.object({ search: z.string().max(64).optional() }),
    response: listOf(z.object({ id, sn: z.string(), name: z.string(), onlineStatus: dcuOnlineStatus })),
    errors: ['NOT_FOUND'],
  }),
  conformance: route({
    method: 'POST',
    path: '/asset/dcu-type/{id}/conformance',
    summary: "Check whether a DCU has every object of its type's profile; nothing is written",
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ dcuId: id }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'NOT_FOUND', 'DCU_NOT_FOUND'],
  }),
};
