import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { fileAnswer, fileStream } from '../core/file.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { SPOKEN, spokenChoice } from '../asset/spoken.ts';
import { firmwareState, signatureState, upgradeProtocol, upgradeTarget } from '../states/upgrade.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_FIRMWARE_OCTETS = 64 * 1024 * 1024;
export const FIRMWARE_ENDINGS = ['bin', 'hex', 'img', 'zip'] as const;
export const BLOCK_OCTETS = { min: 16, max: 2048, usual: 256 } as const;

export const firmwareRow = z.object({
  id,
  name: z.string(),
  version: z.string(),
  upgradeProtocol,
  /** Octets. */
  size: measured('B').int(),
  createdAt: instant,
  createdByName: z.string().nullable(),
  /** Manufacturer. */
  supplierId: id,
  supplierName: z.string(),
  upgradeFile: z.string(),
  upgradeReason: z.string(),
  fileProvider: z.string(),
  /** Maximum block size of this firmware; the device or its APDU size may require smaller blocks. */
  blockSize: measured('B').int(),
  targetKind: upgradeTarget,
  /** DCU types for targets DCU, RT and STA; meter types for meters. */
  types: z.array(z.object({ id, code: z.string(), name: z.string() })),
  /** Text, or `0x` followed by octets in hex. */
  imageIdentifier: z.string(),
  /** Versions from which an upgrade is permitted; empty: all that are not newer. */
  fromVersions: z.array(z.string()),
  sha256: z.string(),
  format: z.string(),
  signature: signatureState,
  state: firmwareState,
  approvedAt: instant.nullable(),
  approvedByName: z.string().nullable(),
  /** Number of upgrades with this firmware. */
  jobs: z.number().int(),
  revision: z.number().int(),
  /** Whether the caller may approve it: the caller neither uploaded nor changed it. */
  mayApprove: z.boolean(),
});
export type FirmwareRow = z.infer<typeof firmwareRow>;

const version = z.string().trim().min(1).max(32);

const fields = {
  name: z.string().trim().min(1).max(64),
  version,
  upgradeProtocol: spokenChoice(SPOKEN.upgradeProtocol).default('dlms_image'),
  supplierId: id,
  targetKind: upgradeTarget,
  typeIds: z.array(id).min(1, RULES.selectOne.en).max(100),
  imageIdentifier: z
    .string()
    .trim()
    .regex(/^(0x([0-9a-fA-F]{2}){1,64}|(?!0x).{1,64})$/, RULES.imageIdentifier.en),
  blockSize: z.number().int().min(BLOCK_OCTETS.min).max(BLOCK_OCTETS.max).default(BLOCK_OCTETS.usual),
  upgradeReason: z.string().trim().min(1).max(256),
  fileProvider: z.string().trim().min(1).max(64),
  fromVersions: z.array(version).max(100).default([]),
};

/** `fileId` is returned by the upload. */
export const newFirmware = z.object({
  ...fields,
  fileId: id,
  /** Detached signature of the file in base64: Ed25519, or ECDSA with SHA-256. */
  signature: z.base64().max(2048).nullable().default(null),
  /** SHA-256 given by the manufacturer; if present, it must match the file. */
  sha256: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
});
export type NewFirmware = z.output<typeof newFirmware>;
/** The file of a draft cannot be changed; a different file needs a new draft. */
export const firmwareChange = z.object({ ...fields, revision: z.number().int() });

const filters = z.object({
  name: z.string().max(64).optional(),
  version: z.string().max(32).optional(),
  targetKind: csv(upgradeTarget).optional(),
  supplierId: csv(id).optional(),
  state: csv(firmwareState).optional(),
});
export type FirmwareFilters = z.output<typeof filters>;

export const uploadedFile = z.object({ fileId: id, name: z.string(), size: measured('B').int(), sha256: z.string(), format: z.string() });
export type UploadedFile = z.infer<typeof uploadedFile>;

const page = PAGE_PATH.upgrades;
const CHANGE_ERRORS = ['VALIDATION', 'NOT_FOUND', 'STALE', 'FIRMWARE_STATE'] as const;

export const firmware = {
  list: route({
    method: 'GET',
    path: '/upgrade/firmware',
    summary: 'Firmware library',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(firmwareRow),
  }),
  get: route({
    method: 'GET',
    path: '/upgrade/firmware/{id}',
    summary: 'One firmware',
    allow: { page, action: 'view' },
    params: idParams,
    response: firmwareRow,
    errors: ['NOT_FOUND'],
  }),
  upload: route({
    method: 'POST',
    path: '/upgrade/firmware/file',
    summary: 'Upload a firmware file; it is deleted after a day unless a draft is created from it',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    query: z.object({ name: z.string().trim().min(1).max(255) }),
    body: fileStream,
    bodyType: 'stream',
    maxOctets: MAX_FIRMWARE_OCTETS,
    response: uploadedFile,
    status: 201,
    errors: ['VALIDATION', 'FILE_TOO_LARGE', 'FIRMWARE_TYPE'],
  }),
  create: route({
    method: 'POST',
    path: '/upgrade/firmware',
    summary: 'Create a draft from an uploaded file',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    announces: '/upgrade/firmware',
    body: newFirmware,
    response: firmwareRow,
    status: 201,
    errors: ['VALIDATION', 'NOT_FOUND', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'SIGNATURE_WRONG', 'SIGNATURE_MISSING', 'HASH_DIFFERS'],
  }),
  update: route({
    method: 'PUT',
    path: '/upgrade/firmware/{id}',
    summary: 'Change a draft',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/upgrade/firmware',
    params: idParams,
    body: firmwareChange,
    response: firmwareRow,
    errors: [...CHANGE_ERRORS, 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  approve: route({
    method: 'PUT',
    path: '/upgrade/firmware/{id}/approve',
    summary: 'Approve a draft of another user',
    allow: { page, action: 'approve' },
    endangers: 'reach',
    announces: '/upgrade/firmware',
    params: idParams,
    body: z.object({ revision: z.number().int() }),
    response: firmwareRow,
    errors: [...CHANGE_ERRORS, 'FIRMWARE_OWN'],
  }),
  retire: route({
    method: 'PUT',
    path: '/upgrade/firmware/{id}/retire',
    summary: 'Retire a firmware: no further upgrades can be started with it',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/upgrade/firmware',
    params: idParams,
    body: z.object({ revision: z.number().int() }),
    response: firmwareRow,
    errors: [...CHANGE_ERRORS, 'IN_USE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/upgrade/firmware/{id}',
    summary: 'Delete an unused firmware',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    announces: '/upgrade/firmware',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
  }),
  file: route({
    method: 'GET',
    path: '/upgrade/firmware/{id}/file',
    summary: 'File of a firmware',
    allow: { page, action: 'export' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
};

/** PEM of Ed25519 or of an elliptic curve. */
export const firmwareKeyBody = z.object({ publicKey: z.string().trim().max(4096) });

export const firmwareKeyRow = z.object({
  supplierId: id,
  supplierName: z.string(),
  publicKey: z.string(),
  /** `Ed25519`, or the curve of ECDSA. */
  algorithm: z.string(),
  /** SHA-256 of the key in hex, for comparison over another channel. */
  fingerprint: z.string(),
  updatedAt: instant,
  updatedByName: z.string().nullable(),
});
export type FirmwareKeyRow = z.infer<typeof firmwareKeyRow>;

/** Public keys of manufacturers. If a manufacturer has a key, its firmware must be signed with it. */
export const firmwareKey = {
  list: route({
    method: 'GET',
    path: '/upgrade/firmware-key',
    summary: 'Public keys of manufacturers that sign their firmware',
    allow: { page, action: 'view' },
    response: listOf(firmwareKeyRow),
  }),
  save: route({
    method: 'PUT',
    path: '/upgrade/firmware-key/{id}',
    summary: 'Set the public key of a manufacturer; an empty key deletes it',
    allow: { page, action: 'approve' },
    endangers: 'keys',
    announces: '/upgrade/firmware-key',
    params: idParams,
    body: firmwareKeyBody,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOT_FOUND'],
  }),
};
