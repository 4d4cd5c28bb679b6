import { EXPIRING_DAYS, type CertificateSuite, type CertificateUsage } from '@hes/contract/states/certificate.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';
import type { DeviceKind } from '#platform/device-keys.ts';
import type { Authority, OwnKeyPair } from './judge.ts';

const DAY_MS = 86_400_000;

/** The authorities that the head-end trusts. */
export async function findAuthorities(db: Db): Promise<(Authority & { id: string })[]> {
  const { rows } = await sql<{ id: string; subject: string; publicKey: Buffer; validFrom: Date; validTo: Date }>`
    select id, subject, public_key as "publicKey", valid_from as "validFrom", valid_to as "validTo" from certificate
    where kind = 'authority' order by id`.execute(db);
  return rows.map(({ validFrom, validTo, ...row }) => ({ ...row, fromMs: validFrom.getTime(), toMs: validTo.getTime() }));
}

/** The key pairs of the head-end, locked until the transaction ends. */
export async function lockOwnKeyPairs(tx: Tx): Promise<OwnKeyPair[]> {
  const { rows } = await sql<OwnKeyPair>`
    select id, public_key as "publicKey", usages, octets is not null as "hasCertificate" from certificate where kind = 'head_end' order by id for update`.execute(
    tx,
  );
  return rows;
}

/** Those of these SHA-256 fingerprints, in hexadecimal digits, that are stored. */
export async function findFingerprints(db: Db, fingerprints: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await sql<{
    fingerprint: Buffer;
  }>`select fingerprint from certificate where fingerprint = any(${[...fingerprints]}::bytea[])`.execute(db);
  return new Set(rows.map(({ fingerprint }) => fingerprint.toString('hex')));
}

/** Subjects of stored certificates by public key in upper-case hexadecimal digits. */
export async function findHolders(db: Db, publicKeys: readonly Uint8Array[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ publicKey: Buffer; subject: string }>`
    select public_key as "publicKey", subject from certificate where public_key = any(${publicKeys.map((key) => Buffer.from(key))}::bytea[])`.execute(
    db,
  );
  return new Map(rows.map(({ publicKey, subject }) => [publicKey.toString('hex').toUpperCase(), subject]));
}

export interface TitledDevice {
  kind: DeviceKind;
  id: string;
  title: Buffer;
}

/** Devices in the user's area that have one of these system titles. */
export async function findTitled(db: Db, user: User, titles: readonly Buffer[]): Promise<TitledDevice[]> {
  const wanted = [...titles];
  const { rows } = await sql<TitledDevice>`
    select 'meter' as kind, id, system_title as title from meter where system_title = any(${wanted}::bytea[]) and ${visible('meter.transformerId', user)}
    union all
    select 'dcu', id, system_title from dcu where system_title = any(${wanted}::bytea[]) and ${visible('dcu.transformerId', user)}`.execute(
    db,
  );
  return rows;
}

/** A verified certificate. */
export interface NewCertificate {
  kind: 'device' | 'head_end' | 'authority';
  subject: string;
  usages: readonly CertificateUsage[];
  suite: CertificateSuite;
  publicKey: Uint8Array;
  octets: Uint8Array;
  issuer: string;
  issuerId: string | null;
  serialNumber: string;
  fromMs: number;
  toMs: number;
  fingerprint: Buffer;
}

/** Stores a certificate and returns its id; undefined when another import has stored it meanwhile. */
export async function insertCertificate(tx: Tx, userId: string, one: NewCertificate, now: Date): Promise<string | undefined> {
  const title = one.kind === 'authority' ? null : Buffer.from(one.subject, 'hex');
  const { rows } = await sql<{ id: string }>`
    insert into certificate (kind, usages, suite, subject, system_title, public_key, octets, issuer, issuer_id, serial_number, valid_from, valid_to,
      fingerprint, created_at, created_by)
    values (${one.kind}, ${[...one.usages]}::text[], ${one.suite}, ${one.subject}, ${title}, ${Buffer.from(one.publicKey)}, ${Buffer.from(one.octets)},
      ${one.issuer}, ${one.issuerId}, ${one.serialNumber}, ${new Date(one.fromMs)}, ${new Date(one.toMs)}, ${one.fingerprint}, ${now}, ${userId})
    on conflict (fingerprint) do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

/** Stores the certificate of a key pair of the head-end. The key pair is used from now on unless another one with a valid certificate is. */
export async function certifyKeyPair(tx: Tx, id: string, one: NewCertificate, now: Date): Promise<void> {
  await sql`
    update certificate set octets = ${Buffer.from(one.octets)}, issuer = ${one.issuer}, issuer_id = ${one.issuerId}, serial_number = ${one.serialNumber},
      valid_from = ${new Date(one.fromMs)}, valid_to = ${new Date(one.toMs)}, fingerprint = ${one.fingerprint}
    where id = ${id}`.execute(tx);
  const { rows } = await sql`
    select from certificate c join certificate own on own.id = ${id} and own.suite = c.suite and own.usages = c.usages
    where c.is_current and c.valid_to > ${now}`.execute(tx);
  if (rows.length === 0) await useKeyPair(tx, id);
}

/** Makes a key pair the one in use for its suite and usage; the former one stays stored. */
export async function useKeyPair(tx: Tx, id: string): Promise<void> {
  await sql`update certificate c set is_current = false from certificate own
    where own.id = ${id} and c.is_current and c.suite = own.suite and c.usages = own.usages`.execute(tx);
  await sql`update certificate set is_current = true where id = ${id}`.execute(tx);
}

export interface NewOwnKeyPair {
  usage: CertificateUsage;
  suite: CertificateSuite;
  subject: string;
  publicKey: Buffer;
  sealed: Buffer;
  fingerprint: Buffer;
}

/** Stores a key pair of the head-end that has no certificate yet. */
export async function insertKeyPair(tx: Tx, userId: string, pair: NewOwnKeyPair, now: Date): Promise<string> {
  const { usage, suite, subject, publicKey, sealed, fingerprint } = pair;
  const { rows } = await sql<{ id: string }>`
    insert into certificate (kind, usages, suite, subject, system_title, public_key, private_key_secret, fingerprint, created_at, created_by)
    values ('head_end', ${[usage]}::text[], ${suite}, ${subject}, ${Buffer.from(subject, 'hex')}, ${publicKey}, ${sealed}, ${fingerprint}, ${now}, ${userId})
    returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

export const deleteCertificate = (tx: Tx, id: string) => sql`delete from certificate where id = ${id}`.execute(tx);

/** Condition for a DCU whose associations need certificates; they are for signatures. */
const DCU_SIGNS = sql`d.authentication_type = 'hls_ecdsa'`;
/** Condition for a meter type that needs a certificate with the usages of `own`. */
const TYPE_NEEDS = sql`(own.usages @> '{digital_signature}' and (mt.authentication_type = 'hls_ecdsa' or mt.general_signing or mt.key_agreement = 'one_pass')
  or own.usages @> '{key_agreement}' and mt.key_agreement <> 'none')`;

/** DCUs whose associations need certificates. */
export async function findDcusWithCertificates(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select d.id from dcu d where ${DCU_SIGNS}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * What needs a certificate: serial numbers of devices without another valid one for its usage and suite (an expired one serves none), certificates that an authority has
 * issued, and the associations of a key pair in use. At most six.
 */
export async function usersOf(tx: Tx, id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with own as (select * from certificate where id = ${id}),
    replaced as (select from own join certificate c on c.system_title = own.system_title and c.kind = own.kind and c.suite = own.suite
      and c.usages @> own.usages and c.id <> own.id and now() between c.valid_from and c.valid_to)
    select m.sn as name from own join meter m on m.system_title = own.system_title join meter_type mt on mt.id = m.meter_type_id
      where own.kind = 'device' and own.valid_to > now() and mt.security_suite = own.suite and ${TYPE_NEEDS} and not exists (select from replaced)
    union all select d.sn from own join dcu d on d.system_title = own.system_title
      where own.kind = 'device' and own.valid_to > now() and own.usages @> '{digital_signature}' and ${DCU_SIGNS} and not exists (select from replaced)
    union all select c.subject from own join certificate c on c.issuer_id = own.id
    union all select mt.name from own join meter_type mt on mt.security_suite = own.suite where own.is_current and ${TYPE_NEEDS}
    union all select d.sn from own join dcu d on own.is_current and own.suite = 1 and own.usages @> '{digital_signature}' and ${DCU_SIGNS}
    limit 6`.execute(tx);
  return rows.map(({ name }) => name);
}

/** A certificate that expires soon or has expired. */
export interface Ending {
  subject: string;
  sn: string | null;
  validTo: Date;
}

/** A certificate with a successor for the same owner, suite and usage needs no alarm. */
const isNotReplaced = (now: Date, until: Date) => sql<boolean>`not exists (
  select from certificate n where n.id <> c.id and n.kind = c.kind and n.subject = c.subject and n.suite = c.suite and n.usages = c.usages
    and n.valid_from <= ${now} and n.valid_to > ${until})`;

/** Marks the certificates of a step as reported and returns them; the locks keep other processes from reporting them as well. */
export async function takeEnding(tx: Tx, step: 'expiring' | 'expired', now: Date): Promise<Ending[]> {
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS);
  const isDue =
    step === 'expired'
      ? sql<boolean>`c.valid_to <= ${now} and c.announced is distinct from 'expired'`
      : sql<boolean>`c.valid_to > ${now} and c.valid_to <= ${soon} and c.announced is null`;
  const { rows } = await sql<Ending>`
    with due as (select c.id from certificate c where ${isDue} and ${isNotReplaced(now, soon)} for update skip locked),
    told as (update certificate c set announced = ${step} from due where c.id = due.id returning c.subject, c.system_title, c.valid_to)
    select subject, valid_to as "validTo", coalesce((select sn from meter where system_title = told.system_title limit 1),
      (select sn from dcu where system_title = told.system_title limit 1)) as sn
    from told order by valid_to, subject`.execute(tx);
  return rows;
}
