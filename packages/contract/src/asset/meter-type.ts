import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import {
  association,
  authenticationType,
  ciphering,
  communicationMode,
  dcuOnlineStatus,
  keyAgreement,
  meterPhase,
} from '../states/device.ts';
import { isCiphered, refusalOf, SPOKEN, spokenChoice, spokenSuite } from './spoken.ts';
import { addressRanges, name, someOf, typeCode } from './fields.ts';
import { profileFile, profileObject, profileRow } from './southbound.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const ACCURACIES = ['A', 'B', 'C', '0.2S', '0.5S', '1.0', '2.0'] as const;
export const VOLTAGES = ['57.7/100', '127/220', '220', '230', '220/380', '230/400'] as const;
export const PERIODS_S = [300, 900, 1800, 3600] as const;
export const METER_QUIRKS = ['range_without_deviation', 'no_block_get', 'single_attribute_only', 'ldn_short'] as const;
export type MeterQuirk = (typeof METER_QUIRKS)[number];

/** `5(60)`: basic and maximum current in ampere. */
export const isCurrent = (text: string): boolean => {
  const found = /^(\d+(?:\.\d+)?)\((\d+(?:\.\d+)?)\)$/.exec(text);
  return found !== null && Number(found[2]) >= Number(found[1]);
};

export const meterTypeRow = z.object({
  id,
  code: z.string(),
  name: z.string(),
  supplierId: id,
  supplierName: z.string(),
  phase: meterPhase,
  accuracy: z.string().nullable(),
  voltage: z.string().nullable(),
  current: z.string().nullable(),
  ctMetering: z.boolean(),
  communicationModes: z.array(communicationMode),
  hasRelay: z.boolean(),
  relayMode: z.number().int(),
  clientSap: z.number().int(),
  serverSap: z.number().int(),
  addressing: z.enum(['logical', 'short']),
  authenticationType,
  association,
  ciphering,
  keyAgreement,
  /** Each APDU is signed in both directions. */
  generalSigning: z.boolean(),
  securitySuite: z.literal([0, 1, 2]),
  /** Of direct meters: what a DCU type says for DCUs. */
  heartbeatSeconds: z.number().int(),
  apduSize: measured('B').int(),
  allowedAddresses: z.array(z.string()),
  profileId: id,
  profileName: z.string(),
  /** The template has no daily freeze, so daily readings cannot be collected. */
  lacksDailyFreeze: z.boolean(),
  lpaPeriodSec: z.number().int(),
  lpbPeriodSec: z.number().int(),
  imageBlockSize: measured('B').int().nullable(),
  quirks: z.array(z.enum(METER_QUIRKS)),
  enabled: z.boolean(),
  /** The entry is part of the installation. */
  isBuiltin: z.boolean(),
  meters: z.number().int(),
  updatedAt: instant,
  version: z.number().int(),
});
export type MeterTypeRow = z.infer<typeof meterTypeRow>;

/** Capture period in seconds, one of `PERIODS_S`. */
const period = z
  .number()
  .int()
  .refine((seconds) => PERIODS_S.some((known) => known === seconds));

const imageBlockSize = measured('B')
  .int()
  .min(64)
  .max(2048)
  .nullable()
  .refine((octets) => octets === null || SPOKEN.imageBlockSize.type === true, {
    error: () => refusalOf(SPOKEN.imageBlockSize, 'type')?.en,
  });

const fields = z.object({
  code: typeCode,
  name,
  phase: meterPhase.default('1p2w'),
  accuracy: z.string().trim().min(1).max(8).default('B'),
  voltage: z.string().trim().min(1).max(16).default('230'),
  /** The unit A is optional in the input and not stored. */
  current: z
    .string()
    .trim()
    .transform((text) => text.replace(/\s*A$/i, ''))
    .refine(isCurrent, RULES.current.en)
    .default('5(60)'),
  ctMetering: z.boolean().default(false),
  communicationModes: someOf(communicationMode.options).default(['plc']),
  hasRelay: z.boolean().default(true),
  relayMode: z.number().int().min(0).max(6).default(4),
  clientSap: z.number().int().min(1).max(126).default(1),
  serverSap: z.number().int().min(1).max(16_383).default(1),
  addressing: spokenChoice(SPOKEN.addressing).default('logical'),
  authenticationType: spokenChoice(SPOKEN.authenticationType).default('hls_gmac'),
  association: association.default('negotiated'),
  ciphering: ciphering.default('by_mechanism'),
  keyAgreement: keyAgreement.default('none'),
  generalSigning: z.boolean().default(false),
  securitySuite: spokenSuite.default(0),
  heartbeatSeconds: z.number().int().min(30).max(172_800).default(3600),
  apduSize: measured('B').int().min(128).max(65_535).default(1024),
  allowedAddresses: addressRanges.default([]),
  lpaPeriodSec: period.default(900),
  lpbPeriodSec: period.default(900),
  /** Null: the block size follows from the device and the firmware. */
  imageBlockSize: imageBlockSize.default(null),
  quirks: z.array(spokenChoice(SPOKEN.quirks)).default([]),
  enabled: z.boolean().default(true),
});
const named = fields.extend({ supplierId: id, profileId: id });

type Security = Pick<
  z.output<typeof fields>,
  'association' | 'authenticationType' | 'ciphering' | 'keyAgreement' | 'generalSigning' | 'securitySuite'
>;
const hasGeneralProtection = (type: Security): boolean => type.keyAgreement !== 'none' || type.generalSigning;
const isNegotiated = ({ association: kind }: Security): boolean => kind === 'negotiated';

const SECURITY_RULES: readonly { field: keyof Security; message: string; isMet: (type: Security) => boolean }[] = [
  {
    // Suite 0 has no certificates.
    field: 'securitySuite',
    message: RULES.suiteOfCertificates.en,
    isMet: (type) => type.securitySuite !== 0 || !(type.authenticationType === 'hls_ecdsa' || hasGeneralProtection(type)),
  },
  {
    field: 'ciphering',
    message: RULES.cipheredServices.en,
    isMet: (type) => !hasGeneralProtection(type) || isCiphered(type.authenticationType, type.ciphering),
  },
  {
    // A pre-established association begins without any message, so nothing in it authenticates.
    field: 'authenticationType',
    message: RULES.preEstablished.en,
    isMet: (type) => isNegotiated(type) || type.authenticationType === 'none',
  },
  {
    // Agreed keys and signatures are negotiated with the association.
    field: 'association',
    message: RULES.preEstablishedPlainly.en,
    isMet: (type) => isNegotiated(type) || !hasGeneralProtection(type),
  },
];

function checkSecurity(type: Security, context: z.RefinementCtx): void {
  for (const { field, message, isMet } of SECURITY_RULES) if (!isMet(type)) context.addIssue({ code: 'custom', path: [field], message });
}

export const newMeterType = named.superRefine(checkSecurity);
export const meterTypeChange = named.extend({ version: z.number().int() }).superRefine(checkSecurity);

export const meterTypeFile = z.object({
  format: z.literal('hes-meter-type'),
  type: fields.omit({ allowedAddresses: true }).superRefine(checkSecurity),
  supplier: z.object({ code: z.string(), name: z.string() }),
  profile: profileFile,
});

/** One object of the comparison between a meter's object list and the template of its type. */
export const learntLine = z.object({
  /** Key in the template or the dictionary; null: the object is in neither. */
  key: z.string().nullable(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  object: profileObject,
  difference: z.enum(['same', 'added', 'removed', 'unknown']),
});
export type LearntLine = z.infer<typeof learntLine>;

/** Number of meters that must lack an object until it counts as unsupported by the type; all of them if the type has fewer meters. */
export const METERS_THAT_TEACH = 3;
/** Days for which a meter's answer counts; after that it may be outdated by a firmware upgrade. */
export const TAUGHT_DAYS = 30;

const place = profileObject.pick({ classId: true, obis: true, attribute: true });
/** An object that meters of the type have reported as undefined. */
export const unsupportedRow = z.object({
  meterTypeId: id,
  meterTypeName: z.string(),
  /** Name in the dictionary; null: the object is no longer in it. */
  key: z.string().nullable(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  object: place,
  /** Number of meters that reported it, and the time of the newest report. */
  meters: z.number().int(),
  lastAt: instant,
  /** Enough meters reported it: readings skip the object unless an order includes unsupported objects. */
  isLearnt: z.boolean(),
});
export type UnsupportedRow = z.infer<typeof unsupportedRow>;

const page = PAGE_PATH.meterTypes;

export const meterType = {
  list: route({
    method: 'GET',
    path: '/asset/meter-type',
    summary: 'Meter types',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      supplierId: csv(id).optional(),
      phase: csv(meterPhase).optional(),
      communicationMode: csv(communicationMode).optional(),
      hasRelay: z.stringbool().optional(),
      enabled: z.stringbool().optional(),
    }),
    response: pageOf(meterTypeRow),
  }),
  choices: route({
    method: 'GET',
    path: '/asset/meter-type/choice',
    summary: 'Templates and suppliers to choose from for a meter type',
    allow: { page, action: 'view' },
    response: z.object({ profiles: z.array(profileRow), suppliers: z.array(z.object({ id, name: z.string(), enabled: z.boolean() })) }),
  }),
  get: route({
    method: 'GET',
    path: '/asset/meter-type/{id}',
    summary: 'One meter type',
    allow: { page, action: 'view' },
    params: idParams,
    response: meterTypeRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/asset/meter-type',
    summary: 'Add a meter type',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newMeterType,
    response: meterTypeRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/meter-type/{id}',
    summary: 'Change a meter type; the change applies to its meters from their next communication on',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: meterTypeChange,
    response: meterTypeRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BUILT_IN_CODE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/meter-type/{id}',
    summary: 'Delete a meter type without meters',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN_ENTRY'],
  }),
  file: route({
    method: 'GET',
    path: '/asset/meter-type/{id}/file',
    summary: 'Export a meter type with its template as a file',
    allow: { page, action: 'export' },
    params: idParams,
    response: meterTypeFile,
    errors: ['NOT_FOUND'],
  }),
  importFile: route({
    method: 'POST',
    path: '/asset/meter-type/file',
    summary: 'Import a meter type with its template from a file',
    allow: { page, action: 'import' },
    endangers: 'nothing',
    body: meterTypeFile,
    response: meterTypeRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  candidates: route({
    method: 'GET',
    path: '/asset/meter-type/{id}/meter',
    summary: 'Readable meters of a type, online ones first',
    allow: { page, action: 'view' },
    params: idParams,
    query: z.object({ search: z.string().max(64).optional() }),
    response: listOf(z.object({ id, sn: z.string(), dcuSn: z.string().nullable(), onlineStatus: dcuOnlineStatus })),
    errors: ['NOT_FOUND'],
  }),
  learn: route({
    method: 'POST',
    path: '/asset/meter-type/{id}/learn',
    summary: 'Read the object list of a meter',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ meterId: id }),
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'NOT_FOUND', 'METER_NOT_FOUND', 'NOT_BOUND'],
  }),
  learnt: route({
    method: 'GET',
    path: '/asset/meter-type/{id}/learnt/{taskId}',
    summary: "Comparison of a meter's object list with the template of its type",
    allow: { page, action: 'view' },
    params: idParams.extend({ taskId: id }),
    response: listOf(learntLine),
    errors: ['NOT_FOUND', 'NOT_LEARNT'],
  }),
  unsupported: route({
    method: 'GET',
    path: '/asset/meter-type/{id}/unsupported',
    summary: 'Objects that meters of a type have recently reported as undefined',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(unsupportedRow),
    errors: ['NOT_FOUND'],
  }),
  forgetUnsupported: route({
    method: 'POST',
    path: '/asset/meter-type/{id}/unsupported/forget',
    summary: 'Clear the unsupported objects of a meter type; they are read again',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ objects: z.array(place).min(1).max(500) }),
    response: z.object({ forgotten: z.number().int() }),
    errors: ['VALIDATION', 'NOT_FOUND'],
  }),
  takeOver: route({
    method: 'POST',
    path: '/asset/meter-type/{id}/learnt/{taskId}',
    summary: "Create a template from a meter's object list and assign it to the type",
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams.extend({ taskId: id }),
    body: z.object({ name, version: z.number().int() }),
    response: meterTypeRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'NOT_LEARNT', 'DUPLICATE'],
  }),
};
