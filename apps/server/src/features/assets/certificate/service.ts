import { createHash } from 'node:crypto';
import type { CertificateRow, NewKeyPair } from '@hes/contract/asset/certificate.ts';
import type { FileAnswer } from '@hes/contract/core/file.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { requestCertificate } from '@hes/dlms/security/certificate-request.ts';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { clientTitleOf } from '#platform/client-title.ts';
import { generateKeyPair, openPrivateKey } from '#platform/own-key-pairs.ts';
import { findCertificate, findOctets, lockCertificate } from './queries.ts';
import { deleteCertificate, findDcusWithCertificates, insertKeyPair, useKeyPair, usersOf } from './store.ts';

const PEM_LINE = /.{1,64}/g;

const pemOf = (label: string, octets: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${(Buffer.from(octets).toString('base64').match(PEM_LINE) ?? []).join('\n')}\n-----END ${label}-----\n`;

export async function getCertificate(db: Db | Tx, user: User, id: string): Promise<CertificateRow> {
  const row = await findCertificate(db, user, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

/** Authorities and key pairs of the head-end concern all devices. */
function refuseInArea(user: User, kind: CertificateRow['kind']): void {
  if (kind !== 'device' && !seesWholeNetwork(user)) throw new ApiError('WHOLE_NETWORK_ONLY');
}

const audit = (tx: Tx, { user, ip }: Who, entry: { action: Action; id: string; detail: Record<string, unknown> }, now: number) =>
  writeAudit(tx, { userId: user.id, action: entry.action, entity: 'certificate', entityId: entry.id, detail: entry.detail, ip }, now);
type Action = 'key_pair_generated' | 'key_pair_used' | 'certificate_deleted';

const described = ({ kind, subject, usages, suite, serialNumber, fingerprint, validTo }: CertificateRow) => ({
  owner: kind,
  subject,
  usages,
  securitySuite: suite,
  serialNumber,
  fingerprint,
  validTo,
});

/** Generates a key pair of the head-end. It is used once its certificate has been imported. */
export async function generateOwnKeyPair(ctx: Context, who: Who, { usage, suite }: NewKeyPair): Promise<CertificateRow> {
  refuseInArea(who.user, 'head_end');
  const now = ctx.clock.now();
  const { publicKey, sealed } = generateKeyPair(ctx.secrets, suite);
  const fingerprint = createHash('sha256').update(publicKey).digest();
  const subject = toHex(clientTitleOf(ctx.secrets));
  return ctx.db.transaction().execute(async (tx) => {
    const id = await insertKeyPair(tx, who.user.id, { usage, suite, subject, publicKey, sealed, fingerprint }, new Date(now));
    const row = await getCertificate(tx, who.user, id);
    await audit(tx, who, { action: 'key_pair_generated', id, detail: { after: described(row) } }, now);
    return row;
  });
}

/** The signing request of a key pair of the head-end, signed with its private key. */
export async function downloadRequest(ctx: Context, user: User, id: string): Promise<FileAnswer> {
  const row = await getCertificate(ctx.db, user, id);
  const stored = await findOctets(ctx.db, id);
  if (row.kind !== 'head_end' || stored === undefined || stored.secret === null) throw new ApiError('NOT_FOUND');
  const privateKey = openPrivateKey(ctx.secrets, stored.publicKey, stored.secret);
  const request = requestCertificate(nodeCipher, privateKey, row.subject);
  return {
    name: `${row.subject}-suite-${row.suite}-${row.usages.join('-')}.csr`,
    type: 'application/pkcs10',
    content: pemOf('CERTIFICATE REQUEST', request),
  };
}

export async function downloadCertificate(ctx: Context, user: User, id: string): Promise<FileAnswer> {
  const row = await getCertificate(ctx.db, user, id);
  const octets = (await findOctets(ctx.db, id))?.octets;
  if (!octets) throw new ApiError('NOT_FOUND');
  const name = `${row.subject.replaceAll(/[^\w.-]+/g, '-')}-${row.serialNumber ?? row.id}.pem`;
  return { name, type: 'application/x-pem-file', content: pemOf('CERTIFICATE', octets) };
}

/** Puts a key pair of the head-end into use; the former one stays stored. Devices follow within a minute. */
export async function useOwnKeyPair(ctx: Context, who: Who, id: string): Promise<CertificateRow> {
  const now = ctx.clock.now();
  const [row] = await commitChanges(
    ctx,
    async (tx) => {
      await lockCertificate(tx, id);
      const before = await getCertificate(tx, who.user, id);
      refuseInArea(who.user, before.kind);
      if (before.kind !== 'head_end') throw new ApiError('NOT_FOUND');
      if (before.state !== 'valid' && before.state !== 'expiring') throw new ApiError('CERTIFICATE_UNUSABLE');
      await useKeyPair(tx, id);
      await audit(tx, who, { action: 'key_pair_used', id, detail: { after: described(before) } }, now);
      return [await getCertificate(tx, who.user, id), await findDcusWithCertificates(tx)] as const;
    },
    ([, dcuIds]) => [devicesChanged('dcu', dcuIds)],
  );
  return row;
}

export async function removeCertificate(ctx: Context, who: Who, id: string, reason: string): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockCertificate(tx, id);
      const before = await getCertificate(tx, who.user, id);
      refuseInArea(who.user, before.kind);
      const users = await usersOf(tx, id);
      if (users.length > 0) throw new ApiError('IN_USE', { by: users.join(', ') });
      await audit(tx, who, { action: 'certificate_deleted', id, detail: { before: described(before), reason } }, now);
      await deleteCertificate(tx, id);
      return before;
    },
    ({ deviceKind, deviceId }) => (deviceKind === null || deviceId === null ? [] : [devicesChanged(deviceKind, [deviceId])]),
  );
}
