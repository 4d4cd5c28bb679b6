import { z } from 'zod';
import { METER_DETAIL_EXAMPLE, METER_EXAMPLE, pageOfOne } from '../examples.ts';
import { csv, cursoredPageOf, cursorQuery, day, id, idParams, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { bindState, dispatchState, distributionState } from '../states/archive.ts';
import {
  communicationMode,
  connectionType,
  dcuOnlineStatus,
  dcuProtocol,
  freshness,
  inventoryState,
  meterPhase,
  recordedPhase,
  relayState,
} from '../states/device.ts';
import { deviceKeys, storedKeys, systemTitle } from './device.ts';
import { latitude, longitude, optionalText } from './fields.ts';
import { isReachable, NEEDS_HOST, physicalAddress, port } from './connection.ts';
import { SPOKEN, spokenChoice } from './spoken.ts';
import { nodeKey } from './tree.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

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
  /** End of the pause in the collection of the meter, with the limit that its response exceeded; null: not paused. */
  setAside: z.object({ until: instant, why: z.string() }).nullable(),
});
export type MeterRow = z.infer<typeof meterRow>;

/** A meter as an asset: one row of the inventory. */
export const assetRow = meterRow.extend({
  /** State in the archive of its DCU; null: the meter is in no archive. */
  bindState: bindState.nullable(),
  dispatchState: dispatchState.nullable(),
  distributionState: distributionState.nullable(),
  /** Connection of a direct meter; null: the meter is read through a DCU, or not at all. */
  connection: z
    .object({
      connectionType,
      host: z.string().nullable(),
      port: z.number().int().nullable(),
      protocol: dcuProtocol,
      physicalAddress: z.number().int().nullable(),
      onlineStatus: dcuOnlineStatus,
    })
    .nullable(),
  /** Day of the newest stored daily freeze. */
  dailyFreezeDate: day.nullable(),
  /** Received daily freezes of those due in the last 30 days, in percent; null: none was due. */
  readRate30d: measured('%').nullable(),
  version: z.number().int(),
});
export type AssetRow = z.infer<typeof assetRow>;

const kwh = z.coerce.number().min(0).max(9_999_999_999).meta({ unit: 'kWh' });
const known = kwh.nullable().default(null);

/** Registers other than total import: export, and import and export by tariff; null: not recorded. */
export const otherRegisters = z.object({
  plusT1: known,
  plusT2: known,
  plusT3: known,
  plusT4: known,
  minus: known,
  minusT1: known,
  minusT2: known,
  minusT3: known,
  minusT4: known,
});
export type OtherRegisters = z.output<typeof otherRegisters>;

/** Registers of a meter at a daily freeze, in kWh. */
export const frozenRegisters = z.object({ at: instant, plus: measured('kWh'), others: otherRegisters });
export type FrozenRegisters = z.output<typeof frozenRegisters>;

export const replacementRow = z.object({
  id,
  at: instant,
  /** The removed meter, and the one installed in its place, if any. */
  oldMeterId: id,
  oldSn: z.string(),
  newMeterId: id.nullable(),
  newSn: z.string().nullable(),
  finalKwh: z.number().nullable(),
  initialKwh: z.number().nullable(),
  final: otherRegisters,
  initial: otherRegisters,
  transformerName: z.string().nullable(),
  customerNo: z.string().nullable(),
  note: z.string().nullable(),
  byName: z.string().nullable(),
  hasPhoto: z.boolean(),
});
export type ReplacementRow = z.infer<typeof replacementRow>;

/** How a meter was installed where there was none before. */
export const installationRow = z.object({
  id,
  at: instant,
  initialKwh: z.number().nullable(),
  byName: z.string().nullable(),
  note: z.string().nullable(),
  hasPhoto: z.boolean(),
});

export const assetDetail = assetRow.extend({
  typeAccuracy: z.string().nullable(),
  typeVoltage: z.string().nullable(),
  typeCurrent: z.string().nullable(),
  typePhase: meterPhase,
  /** Values of this meter that override those of its type; null: as the type. */
  own: z.object({
    accuracy: z.string().nullable(),
    voltage: z.string().nullable(),
    current: z.string().nullable(),
    phase: meterPhase.nullable(),
  }),
  levelName: z.string().nullable(),
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
  systemTitle: z.string().nullable(),
  keys: storedKeys,
  note: z.string().nullable(),
  installedAt: instant.nullable(),
  removedAt: instant.nullable(),
  createdAt: instant,
  /** Replacements in which this meter was removed or installed, newest first. */
  installation: installationRow.nullable(),
  replacements: z.array(replacementRow),
});
export type AssetDetail = z.infer<typeof assetDetail>;

const ratio = z.coerce.number().positive(RULES.ratio.en).max(999_999).default(1);

/** Editable fields of a meter. The serial number is not editable because keys and readings refer to it. */
const meterFields = z.object({
  meterTypeId: id,
  isMaster: z.boolean().default(false),
  communicationMode,
  /** The connection of a direct meter. */
  connectionType: connectionType.default('dial_in'),
  host: optionalText(253),
  port,
  protocol: spokenChoice(SPOKEN.protocol).default('dlms_wrapper'),
  physicalAddress,
  recordedPhase: recordedPhase.default('unknown'),
  accuracy: optionalText(16),
  voltage: optionalText(32),
  current: optionalText(32),
  phase: meterPhase.nullable().default(null),
  ctRatio: ratio,
  ptRatio: ratio,
  isGenerator: z.boolean().default(false),
  customerNo: optionalText(32),
  customerName: optionalText(64),
  address: optionalText(128),
  longitude,
  latitude,
  systemTitle,
  note: optionalText(512),
});

export const meterSn = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{6,20}$/, RULES.meterSn.en)
  .transform((sn) => sn.toUpperCase());
const isDialled = (fields: z.output<typeof meterFields>) => fields.communicationMode !== 'direct' || isReachable(fields);
export const newMeter = meterFields.extend({ sn: meterSn, keys: deviceKeys.optional() }).refine(isDialled, NEEDS_HOST);
export const meterChange = meterFields.extend({ version: z.number().int() }).refine(isDialled, NEEDS_HOST);

export const MAX_METERS_AT_ONCE = 500;
const meterIds = z.array(id).min(1, RULES.selectData.en).max(MAX_METERS_AT_ONCE);
export const stateChange = z.object({
  ids: meterIds,
  state: inventoryState,
  /** Transformer of a meter that is installed without a DCU. */
  transformerId: id.nullable().optional(),
  /** Register value at removal, with which the bill ends; null: it could not be read. */
  finalKwh: kwh.nullable().optional(),
  reason: optionalText(128),
});

/** Replacement of a meter: the new one takes over customer, transformer, ratios and phase. */
export const replacement = z.object({
  newMeterId: id,
  finalKwh: kwh,
  initialKwh: kwh,
  final: otherRegisters.prefault({}),
  initial: otherRegisters.prefault({}),
  at: instant,
  note: optionalText(256),
});

/** The installation of a meter from the warehouse behind a DCU. */
export const installation = z.object({
  dcuId: id,
  initialKwh: kwh,
  initial: otherRegisters.prefault({}),
  at: instant,
  customerNo: optionalText(32),
  note: optionalText(256),
});

/** The same with the meter, as a form has it. */
export const installationOfMeter = installation.extend({ meterId: id });

const page = PAGE_PATH.readings;
const inventory = PAGE_PATH.meterAssets;

const assetFilter = {
  search: z.string().max(64).optional(),
  sns: csv(z.string().max(20)).optional(),
  node: nodeKey.optional(),
  inventoryState: csv(inventoryState).optional(),
  freshness: csv(freshness).optional(),
  meterTypeId: csv(id).optional(),
  supplierId: csv(id).optional(),
  communicationMode: csv(communicationMode).optional(),
  isMaster: z.stringbool().optional(),
  bound: z.stringbool().optional(),
};

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
  assets: route({
    method: 'GET',
    path: '/asset/meter/inventory',
    summary: 'Meters as assets, with location, binding and reading rate',
    allow: { page: inventory, action: 'view' },
    query: pageQuery.safeExtend({ ...assetFilter, ...cursorQuery }),
    response: cursoredPageOf(assetRow),
    v1: {
      description:
        'Lists the meters in your area. Search by part of the serial number, of the customer or of the address, or name up to a hundred serial numbers in sns.',
      example: {
        query: { sns: 'ZX10000001' },
        response: { ...pageOfOne(METER_EXAMPLE), next: null },
      },
    },
  }),
  /** Counts for the facet strip, under the same filters but the facet's own. */
  facets: route({
    method: 'GET',
    path: '/asset/meter/facets',
    summary: 'Meters by inventory state',
    allow: { page: inventory, action: 'view' },
    query: z.object(assetFilter).omit({ inventoryState: true }),
    response: z.object({
      total: z.number().int(),
      /** False: a count that shows `COUNT_LIMIT` stopped there. */
      totalIsExact: z.boolean(),
      inventoryState: z.record(inventoryState, z.number().int()),
    }),
  }),
  options: route({
    method: 'GET',
    path: '/asset/meter/option',
    summary: 'Meter types and suppliers to choose from',
    allow: { page: inventory, action: 'view' },
    v1: {
      description: 'Lists the meter types that a new meter can have, and the suppliers.',
      example: {
        response: {
          types: [
            {
              id: '5',
              code: 'ONE',
              name: 'Single phase 5(60) A',
              supplierName: 'Acme Meters',
              phase: '1p2w',
              accuracy: '1',
              voltage: '230 V',
              current: '5(60) A',
            },
          ],
          suppliers: [{ id: '1', name: 'Acme Meters' }],
        },
      },
    },
    response: z.object({
      types: z.array(
        z.object({
          id,
          code: z.string(),
          name: z.string(),
          supplierName: z.string(),
          phase: meterPhase,
          accuracy: z.string().nullable(),
          voltage: z.string().nullable(),
          current: z.string().nullable(),
        }),
      ),
      suppliers: z.array(z.object({ id, name: z.string() })),
    }),
  }),
  asset: route({
    method: 'GET',
    path: '/asset/meter/{id}/asset',
    summary: 'One meter as an asset, with its replacements',
    allow: { page: inventory, action: 'view' },
    params: idParams,
    v1: {
      description:
        'Returns one meter with its nameplate, connection and replacements. Keys are never returned, only whether each is stored.',
      example: { params: { id: '1001' }, response: METER_DETAIL_EXAMPLE },
    },
    response: assetDetail,
    errors: ['METER_NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/asset/meter',
    summary: 'Add a meter to the warehouse',
    allow: { page: inventory, action: 'add' },
    endangers: 'nothing',
    body: newMeter,
    v1: {
      description:
        'Adds a meter to the warehouse. Fails if the serial number is known; use the call by serial number to add or change. It needs the right in the whole network, because the warehouse belongs to no district.',
      example: { body: { sn: 'ZX10000001', meterTypeId: '5', communicationMode: 'plc' }, response: METER_DETAIL_EXAMPLE },
    },
    response: assetDetail,
    status: 201,
    errors: ['KEY_SHARED', 'VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS'],
  }),
  put: route({
    method: 'PUT',
    path: '/asset/meter/by-sn',
    summary: 'Add the meter with this serial number, or change it',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    body: newMeter,
    v1: {
      description:
        'Registers a meter by its serial number. If the number is known, all given fields replace the stored ones; fields that are left out get their default. Keys are stored for a new meter only. Repeating the call changes nothing. Adding also needs the right to add meters in the whole network.',
      example: {
        body: { sn: 'ZX10000001', meterTypeId: '5', communicationMode: 'plc', customerNo: 'C-20417' },
        response: { ...METER_DETAIL_EXAMPLE, isNew: true },
      },
    },
    response: assetDetail.extend({ isNew: z.boolean() }),
    errors: ['KEY_SHARED', 'VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/meter/{id}',
    summary: 'Change a meter; running work uses the new values',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: meterChange,
    response: assetDetail,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'STALE', 'UNKNOWN_REFERENCE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/meter/{id}',
    summary: 'Delete a meter that is in the warehouse and was never read',
    allow: { page: inventory, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['METER_NOT_FOUND', 'NOT_IN_WAREHOUSE', 'HAS_READINGS', 'HAS_ARCHIVES'],
  }),
  setKeys: route({
    method: 'PUT',
    path: '/asset/meter/{id}/keys',
    summary: 'Replace or delete secrets of a meter; they cannot be read',
    allow: { page: inventory, action: 'edit' },
    endangers: 'keys',
    params: idParams,
    body: deviceKeys,
    v1: {
      description:
        'Replaces keys that the head-end uses for a meter. It does not change the keys in the meter. The service account needs the permission to change keys.',
      example: { params: { id: '1001' }, body: { password: 'Changed-2026' }, response: METER_DETAIL_EXAMPLE },
    },
    response: assetDetail,
    errors: ['KEY_SHARED', 'VALIDATION', 'METER_NOT_FOUND'],
  }),
  setState: route({
    method: 'PUT',
    path: '/asset/meter/state',
    summary: 'Move meters between warehouse, installed and active',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    body: stateChange,
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'METER_STATE', 'ALREADY_BOUND', 'UNKNOWN_REFERENCE'],
  }),
  setMaster: route({
    method: 'PUT',
    path: '/asset/meter/master',
    summary: 'Set or clear meters as master meters of their transformers',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: meterIds, isMaster: z.boolean() }),
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION', 'METER_NOT_FOUND'],
  }),
  setType: route({
    method: 'PUT',
    path: '/asset/meter/type',
    summary: 'Change the type of meters',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: meterIds, meterTypeId: id }),
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'UNKNOWN_REFERENCE'],
  }),
  frozenRegisters: route({
    method: 'GET',
    path: '/asset/meter/{id}/frozen-registers',
    summary: 'Registers of a meter at the newest stored daily freeze between `notBefore` and `notAfter`',
    allow: { page: inventory, action: 'view' },
    params: idParams,
    query: z.object({ notBefore: instant.optional(), notAfter: instant.optional() }),
    response: z.object({ reading: frozenRegisters.nullable() }),
    errors: ['VALIDATION', 'METER_NOT_FOUND'],
  }),
  // As for DCUs, testing a link needs the right to edit a meter.
  test: route({
    method: 'POST',
    path: '/asset/meter/{id}/test',
    summary: 'Test the association with a meter; the result of the task lists the steps and what was negotiated',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    response: taskRef,
    status: 202,
    errors: ['METER_NOT_FOUND', 'NOT_BOUND'],
  }),
  install: route({
    method: 'POST',
    path: '/asset/meter/{id}/install',
    summary: 'Install a meter from the warehouse behind a DCU, with its first value',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: installation,
    response: assetDetail,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'METER_STATE', 'ALREADY_BOUND', 'ARCHIVE_FULL'],
  }),
  replace: route({
    method: 'POST',
    path: '/asset/meter/{id}/replace',
    summary: 'Replace the meter by one from the warehouse',
    allow: { page: inventory, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: replacement,
    response: assetDetail,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'METER_STATE', 'ALREADY_BOUND'],
  }),
};
