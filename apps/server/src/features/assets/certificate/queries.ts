import type { CertificateRow } from '@hes/contract/asset/certificate.ts';
import { EXPIRING_DAYS, type CertificateState, type CertificateSuite, type CertificateUsage } from '@hes/contract/states/certificate.ts';
import { sql, type RawBuilder } from 'kysely';
import { takeRows } from '#db/export-cursor.ts';
import { containing, countUpTo, iso, isoOrNull, sortColumn, type PageQuery } from '#db/paging.ts';
import { seesWholeNetwork, transformerWithin } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface CertificateFilter {
  search?: string | undefined;
  kind?: readonly string[] | undefined;
  usage?: readonly string[] | undefined;
  suite?: readonly string[] | undefined;
  state?: readonly string[] | undefined;
}

const SORT_COLUMNS = {
  subject: sql`c.subject`,
  deviceSn: sql`"deviceSn"`,
  validFrom: sql`c.valid_from`,
  validTo: sql`c.valid_to`,
  createdAt: sql`c.created_at`,
};

/** State at the time of the database. */
const stateOf = sql<CertificateState>`case
  when c.valid_to is null then 'waiting'
  when c.valid_to <= now() then 'expired'
  when c.valid_from > now() then 'not_yet_valid'
  when c.valid_to <= now() + make_interval(days => ${sql.lit(EXPIRING_DAYS)}) then 'expiring'
  else 'valid' end`;

/** The device that has the system title; the archive does not prevent that several have it. */
const deviceOf = sql`left join lateral (
    select 'meter' as kind, id, sn, transformer_id from meter where meter.system_title = c.system_title and c.kind = 'device'
    union all select 'dcu', id, sn, transformer_id from dcu where dcu.system_title = c.system_title and c.kind = 'device'
    limit 1) as device on true`;

/** Certificates without device concern all: authorities and those of the head-end are visible to everyone, the others to the whole network. */
const visibleTo = (user: User): RawBuilder<boolean> =>
  seesWholeNetwork(user)
    ? sql<boolean>`true`
    : sql<boolean>`(c.kind <> 'device' or ${transformerWithin(sql`device.transformer_id`, user.scope)})`;

function conditionsOf(user: User, { search, kind, usage, suite, state }: CertificateFilter): RawBuilder<boolean> {
  const like = search === undefined ? undefined : containing(search);
  const all = [
    visibleTo(user),
    ...(like === undefined ? [] : [sql<boolean>`(c.subject ilike ${like} or c.issuer ilike ${like} or device.sn ilike ${like})`]),
    ...(kind === undefined ? [] : [sql<boolean>`c.kind = any(${[...kind]}::text[])`]),
    ...(usage === undefined ? [] : [sql<boolean>`c.usages && ${[...usage]}::text[]`]),
    ...(suite === undefined ? [] : [sql<boolean>`c.suite = any(${suite.map(Number)}::int[])`]),
    ...(state === undefined ? [] : [sql<boolean>`${stateOf} = any(${[...state]}::text[])`]),
  ];
  return sql<boolean>`${sql.join(all, sql` and `)}`;
}

interface Selected {
  id: string;
  kind: CertificateRow['kind'];
  subject: string;
  issuer: string | null;
  serialNumber: string | null;
  deviceKind: CertificateRow['deviceKind'];
  deviceId: string | null;
  deviceSn: string | null;
  usages: CertificateUsage[];
  suite: CertificateSuite;
  validFrom: Date | null;
  validTo: Date | null;
  state: CertificateState;
  isCurrent: boolean;
  fingerprint: Buffer;
  createdAt: Date;
  createdByName: string | null;
}

const rowsOf = (where: RawBuilder<boolean>) => sql<Selected>`
  select c.id, c.kind, c.subject, c.issuer, c.serial_number as "serialNumber", device.kind as "deviceKind", device.id as "deviceId", device.sn as "deviceSn",
    c.usages, c.suite, c.valid_from as "validFrom", c.valid_to as "validTo", ${stateOf} as state, c.is_current as "isCurrent", c.fingerprint,
    c.created_at as "createdAt", u.name as "createdByName"
  from certificate c ${deviceOf} left join app_user u on u.id = c.created_by where ${where}`;

const toRow = ({ validFrom, validTo, fingerprint, createdAt, ...row }: Selected): CertificateRow => ({
  ...row,
  validFrom: isoOrNull(validFrom),
  validTo: isoOrNull(validTo),
  fingerprint: fingerprint.toString('hex'),
  createdAt: iso(createdAt),
});

function orderBy(sort: string | undefined): RawBuilder<unknown> {
  const [field = '', direction] = (sort ?? 'validTo,asc').split(',');
  const column = sortColumn(SORT_COLUMNS, field) ?? SORT_COLUMNS.validTo;
  return direction === 'desc' ? sql`order by ${column} desc nulls last, c.id` : sql`order by ${column} asc nulls first, c.id`;
}

export async function listCertificates(db: Db, user: User, query: PageQuery & CertificateFilter) {
  const rows = rowsOf(conditionsOf(user, query));
  const [items, counted] = await Promise.all([
    takeRows<Selected>(db, sql<Selected>`${rows} ${orderBy(query.sort)}`, ['id'], query),
    countUpTo(db, rows),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function findCertificate(db: Db, user: User, id: string): Promise<CertificateRow | undefined> {
  const { rows } = await rowsOf(sql<boolean>`c.id = ${id} and ${visibleTo(user)}`).execute(db);
  return rows[0] && toRow(rows[0]);
}

export const lockCertificate = (tx: Tx, id: string) => sql`select from certificate where id = ${id} for update`.execute(tx);

/** The encodings of a certificate and of its key pair; undefined: no such certificate. */
export async function findOctets(db: Db, id: string) {
  const { rows } = await sql<{ octets: Buffer | null; publicKey: Buffer; secret: Buffer | null }>`
    select octets, public_key as "publicKey", private_key_secret as secret from certificate where id = ${id}`.execute(db);
  return rows[0];
}
