import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';
import { DATA_TYPES, OBIS_ACCESSES, OBIS_CATEGORIES, OBIS_DECODERS, OBIS_KINDS } from '../states/obis.ts';
import { exportOf } from '../transfer/export.ts';
import { importOf } from '../transfer/import.ts';
import { PAGE_PATH } from '../page/paths.ts';

const OBIS_TEXT = /^(\d{1,3})[-.](\d{1,3})[:.](\d{1,3})\.(\d{1,3})\.(\d{1,3})[.*](\d{1,3})$/;

/** OBIS code as `1-0:1.8.0.255` or with dots only, six parts from 0 to 255; stored with dots. */
export const obisText = z
  .string()
  .trim()
  .refine(
    (text) =>
      OBIS_TEXT.exec(text)
        ?.slice(1)
        .every((part) => Number(part) <= 255) === true,
    RULES.obis.en,
  )
  .transform((text) => (OBIS_TEXT.exec(text)?.slice(1) ?? []).map(Number).join('.'));

export const obisFields = z.object({
  /** Key by which readings, plans and templates refer to the object. */
  key: z
    .string()
    .trim()
    .regex(/^[A-Z][A-Z0-9_]{1,31}$/, RULES.obisKey.en),
  obis: obisText,
  classId: z.int().min(1).max(65_535),
  attribute: z.int().min(1).max(127),
  kind: z.enum(OBIS_KINDS).default('attribute'),
  nameEn: z.string().trim().min(1).max(64),
  nameZh: z.string().trim().min(1).max(64),
  dataType: z.enum(DATA_TYPES).nullable().default(null),
  /** COSEM unit code; 255: none. */
  unit: z.int().min(1).max(255).default(255),
  /** Usual scaler; values use the one that the device reports. */
  scaler: z.int().min(-10).max(10).nullable().default(null),
  precision: z.int().min(0).max(6).default(3),
  category: z.enum(OBIS_CATEGORIES),
  access: z.array(z.enum(OBIS_ACCESSES)).min(1, RULES.selectOne.en).max(3).default(['r']),
  decoder: z.enum(OBIS_DECODERS).default('plain'),
  /** Labels by number, for enumerations and bits. */
  enumMap: z
    .record(z.string().regex(/^\d{1,3}$/), z.string().min(1).max(64))
    .nullable()
    .default(null),
  enabled: z.boolean().default(true),
});
export type ObisFields = z.output<typeof obisFields>;

export const obisChange = obisFields.extend({ version: z.number().int() });

export const obisRow = z.object({
  id,
  ...obisFields.shape,
  obis: z.string(),
  key: z.string(),
  unitSymbol: z.string(),
  isBuiltin: z.boolean(),
  /** Names of the templates that contain the object. */
  templates: z.array(z.string()),
  /** Names of the plans that read the object. */
  plans: z.array(z.string()),
  /** Names of the meter types that do not support the object, derived from responses of meters. */
  unsupportedOn: z.array(z.string()),
  updatedAt: instant,
  version: z.number().int(),
});
export type ObisRow = z.infer<typeof obisRow>;

export const templateRow = z.object({
  id,
  key: z.string(),
  name: z.string(),
  isBuiltin: z.boolean(),
  /** Keys of the dictionary, in reading order. */
  keys: z.array(z.string()),
  /** Names of the meter types that use the template. */
  meterTypes: z.array(z.string()),
  version: z.number().int(),
});
export type TemplateRow = z.infer<typeof templateRow>;

const templateFields = z.object({
  name: nameOf(64),
  keys: z.array(z.string().max(64)).min(1, RULES.selectData.en).max(500),
});

const page = PAGE_PATH.obis;

export const obisImport = importOf('obis-code', page);

export const templateChange = templateFields.extend({ version: z.number().int() });

export const obis = {
  list: route({
    method: 'GET',
    path: '/reading/obis/code',
    summary: 'Dictionary of COSEM objects',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      /** Part of the OBIS code, the key or a name. */
      search: z.string().max(64).optional(),
      classId: z.coerce.number().int().min(1).max(65_535).optional(),
      category: csv(z.enum(OBIS_CATEGORIES)).optional(),
      access: z.enum(OBIS_ACCESSES).optional(),
      templateId: id.optional(),
      enabled: z.stringbool().optional(),
    }),
    response: pageOf(obisRow).extend({ categories: z.record(z.string(), z.number().int()) }),
  }),
  get: route({
    method: 'GET',
    path: '/reading/obis/code/{id}',
    summary: 'One object',
    allow: { page, action: 'view' },
    params: idParams,
    response: obisRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/reading/obis/code',
    summary: 'Add an object',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: obisFields,
    response: obisRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  update: route({
    method: 'PUT',
    path: '/reading/obis/code/{id}',
    summary: 'Change an object',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: obisChange,
    response: obisRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'IN_USE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/reading/obis/code/{id}',
    summary: 'Delete an unused object',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN_ENTRY'],
  }),
  /** Returns immediately; the result of the task's item has the value. No reading is stored. */
  test: route({
    method: 'POST',
    path: '/reading/obis/code/{id}/test',
    summary: 'Read the object from a meter',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ meterId: id }),
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'METER_NOT_FOUND', 'NOT_BOUND', 'NOT_TESTABLE'],
  }),
  /** Meters with an online DCU come first. */
  meters: route({
    method: 'GET',
    path: '/reading/obis/meter',
    summary: 'Meters from which an object can be read as a test',
    allow: { page, action: 'execute' },
    query: z.object({ search: z.string().max(64).optional() }),
    response: listOf(z.object({ id, sn: z.string(), dcuSn: z.string().nullable(), isOnline: z.boolean(), typeName: z.string() })),
  }),
  templates: route({
    method: 'GET',
    path: '/reading/obis/template',
    summary: 'Templates: ordered lists of objects of meter models',
    allow: { page, action: 'view' },
    response: listOf(templateRow),
  }),
  createTemplate: route({
    method: 'POST',
    path: '/reading/obis/template',
    summary: 'Add a template, empty or as a copy',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: templateFields.extend({ copyOf: id.optional() }),
    response: templateRow,
    status: 201,
    errors: ['VALIDATION', 'NOT_FOUND', 'UNKNOWN_ITEM', 'DUPLICATE'],
  }),
  updateTemplate: route({
    method: 'PUT',
    path: '/reading/obis/template/{id}',
    summary: 'Change name, objects and order of a template',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: templateChange,
    response: templateRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'UNKNOWN_ITEM', 'DUPLICATE', 'BUILT_IN_ENTRY'],
  }),
  removeTemplate: route({
    method: 'DELETE',
    path: '/reading/obis/template/{id}',
    summary: 'Delete an unused template',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN_ENTRY'],
  }),
};

export const obisExport = exportOf('obis-code', obis.list);
