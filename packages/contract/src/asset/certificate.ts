import { z } from 'zod';
import { fileAnswer, fileBody } from '../core/file.ts';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { CERTIFICATE_SUITES, certificateKind, certificateState, certificateUsage } from '../states/certificate.ts';

export const MAX_CERTIFICATE_FILE_OCTETS = 20 * 1024 * 1024;
/** Maximum number of certificates in one file. */
export const MAX_CERTIFICATES = 20_000;
/** Maximum number of certificates that the answer to an import lists; the counts include all. */
export const LISTED_CERTIFICATES = 200;

const suite = z.literal(CERTIFICATE_SUITES);

export const certificateRow = z.object({
  id,
  kind: certificateKind,
  /** Common name: the system title in upper-case hexadecimal digits, or the name of an authority. */
  subject: z.string(),
  /** Common name of the issuer; null: the certificate of the key pair has not been imported yet. */
  issuer: z.string().nullable(),
  /** Serial number in hexadecimal digits. */
  serialNumber: z.string().nullable(),
  /** The device in the archive that has the system title. */
  deviceKind: z.enum(['dcu', 'meter']).nullable(),
  deviceId: id.nullable(),
  deviceSn: z.string().nullable(),
  usages: z.array(certificateUsage),
  suite,
  validFrom: instant.nullable(),
  validTo: instant.nullable(),
  state: certificateState,
  /** The head-end uses this key pair of its own. */
  isCurrent: z.boolean(),
  /** SHA-256 of the certificate, or of the public key while there is none, in hexadecimal digits. */
  fingerprint: z.string(),
  createdAt: instant,
  createdByName: z.string().nullable(),
});
export type CertificateRow = z.infer<typeof certificateRow>;

export const newKeyPair = z.object({ usage: z.enum(['digital_signature', 'key_agreement']), suite });
export type NewKeyPair = z.output<typeof newKeyPair>;

export const importedCertificate = z.object({
  /** Position in the file; the first certificate is 1. */
  number: z.number().int(),
  subject: z.string().nullable(),
  /** `unchanged`: the certificate was stored before. */
  verdict: z.enum(['new', 'unchanged', 'error']),
  /** Why the certificate was refused, and what to do. */
  message: z.string().nullable(),
});
export type ImportedCertificate = z.infer<typeof importedCertificate>;

export const certificateImportResult = z.object({
  new: z.number().int(),
  unchanged: z.number().int(),
  errors: z.number().int(),
  /** First the refused ones. */
  rows: z.array(importedCertificate),
});
export type CertificateImportResult = z.infer<typeof certificateImportResult>;

const page = PAGE_PATH.certificates;

export const certificate = {
  list: route({
    method: 'GET',
    path: '/asset/certificate',
    summary: 'Certificates of devices, of the head-end and of authorities',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      kind: csv(certificateKind).optional(),
      usage: csv(certificateUsage).optional(),
      suite: csv(z.enum(['1', '2'])).optional(),
      state: csv(certificateState).optional(),
    }),
    response: pageOf(certificateRow),
  }),
  get: route({
    method: 'GET',
    path: '/asset/certificate/{id}',
    summary: 'One certificate',
    allow: { page, action: 'view' },
    params: idParams,
    response: certificateRow,
    errors: ['NOT_FOUND'],
  }),
  import: route({
    method: 'POST',
    path: '/asset/certificate/file',
    summary:
      'Import certificates from a file (PEM or DER, one or several); each is verified, and the refused ones are listed with the reason',
    allow: { page, action: 'import' },
    endangers: 'keys',
    query: z.object({ name: z.string().trim().min(1).max(255) }),
    body: fileBody,
    bodyType: 'file',
    maxOctets: MAX_CERTIFICATE_FILE_OCTETS,
    response: certificateImportResult,
    errors: ['VALIDATION', 'FILE_UNREADABLE', 'FILE_TOO_LARGE', 'TOO_MANY_ROWS'],
  }),
  generate: route({
    method: 'POST',
    path: '/asset/certificate/key-pair',
    summary: 'Generate a key pair of the head-end; its private key never leaves the server',
    allow: { page, action: 'add' },
    endangers: 'keys',
    body: newKeyPair,
    response: certificateRow,
    status: 201,
    errors: ['VALIDATION', 'WHOLE_NETWORK_ONLY'],
  }),
  request: route({
    method: 'GET',
    path: '/asset/certificate/{id}/request',
    summary: 'Certificate signing request (PKCS #10, PEM) of a key pair of the head-end',
    allow: { page, action: 'export' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  file: route({
    method: 'GET',
    path: '/asset/certificate/{id}/file',
    summary: 'A certificate as PEM',
    allow: { page, action: 'export' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  use: route({
    method: 'PUT',
    path: '/asset/certificate/{id}/use',
    summary: 'Use this key pair of the head-end from now on; the former one stays stored and can be used again',
    allow: { page, action: 'edit' },
    endangers: 'keys',
    params: idParams,
    response: certificateRow,
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY', 'CERTIFICATE_UNUSABLE'],
  }),
  remove: route({
    method: 'POST',
    path: '/asset/certificate/{id}/delete',
    summary: 'Delete a certificate, or a key pair of the head-end, that is not in use',
    allow: { page, action: 'delete' },
    endangers: 'keys',
    params: idParams,
    body: reasonGiven,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOT_FOUND', 'IN_USE', 'WHOLE_NETWORK_ONLY'],
  }),
};
