import type { FirmwareFilters, FirmwareRow, NewFirmware } from '@hes/contract/upgrade/firmware.ts';
import type { SignatureState } from '@hes/contract/states/upgrade.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, orderOf, type PageQuery } from '#db/paging.ts';
import { seesWholeNetwork, visibleDevice } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

const DAY_MS = 86_400_000;

const SORT_COLUMNS = { name: 'f.name', version: 'f.version', size: 'x.size', createdAt: 'f.created_at', state: 'f.state' } as const;

function matching(filters: FirmwareFilters): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`];
  if (filters.name) conditions.push(sql<boolean>`f.name ilike ${containing(filters.name)}`);
  if (filters.version) conditions.push(sql<boolean>`f.version ilike ${containing(filters.version)}`);
  if (filters.targetKind) conditions.push(sql<boolean>`f.target_kind = any(${[...filters.targetKind]}::text[])`);
  if (filters.supplierId) conditions.push(sql<boolean>`f.supplier_id = any(${[...filters.supplierId]}::bigint[])`);
  if (filters.state) conditions.push(sql<boolean>`f.state = any(${[...filters.state]}::text[])`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

type Raw = Omit<FirmwareRow, 'createdAt' | 'approvedAt'> & { createdAt: Date; approvedAt: Date | null };

const columns = (user: User) => sql`
  f.id, f.name, f.version, f.upgrade_protocol, x.size, f.created_at, u.name as created_by_name, f.supplier_id, s.name as supplier_name,
  x.name as upgrade_file, f.upgrade_reason, f.file_provider, f.block_size, f.target_kind, f.image_identifier, f.from_versions, x.sha256, x.format,
  f.signature_state as signature, f.state, f.approved_at, a.name as approved_by_name, f.revision,
  (select count(*)::int from upgrade_job j where j.firmware_id = f.id and (${seesWholeNetwork(user)} or exists (
    select from upgrade_record r join endpoint as dcu on dcu.id = r.dcu_id left join meter on r.device_kind = 'meter' and meter.id = r.device_id
    where r.job_id = j.id and ${visibleDevice(user)}))) as jobs,
  (f.state = 'draft' and not f.touched_by @> array[${user.id}::bigint]) as may_approve,
  coalesce(case when f.target_kind = 'meter'
    then (select jsonb_agg(jsonb_build_object('id', t.id::text, 'code', t.code, 'name', t.name) order by t.code) from meter_type t where t.id = any(f.type_ids))
    else (select jsonb_agg(jsonb_build_object('id', t.id::text, 'code', t.code, 'name', t.name) order by t.code) from dcu_type t where t.id = any(f.type_ids))
  end, '[]') as types`;

const FROM = sql`firmware f join firmware_file x on x.id = f.file_id join supplier s on s.id = f.supplier_id
  left join app_user u on u.id = f.created_by left join app_user a on a.id = f.approved_by`;

const toRow = (row: Raw): FirmwareRow => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  approvedAt: row.approvedAt?.toISOString() ?? null,
});

export async function listFirmware(db: Db, user: User, query: PageQuery & FirmwareFilters) {
  const where = matching(query);
  const { column, direction } = orderOf(query.sort ?? 'createdAt,desc', SORT_COLUMNS, 'f.created_at');
  const [items, counted] = await Promise.all([
    sql<Raw>`select ${columns(user)} from ${FROM} where ${where} order by ${sql.raw(column)} ${sql.raw(direction)}, f.id desc
      limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db),
    countUpTo(db, sql`select f.id from ${FROM} where ${where}`),
  ]);
  return { items: items.rows.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function findFirmware(db: Db | Tx, user: User, id: string): Promise<FirmwareRow | undefined> {
  const found = await sql<Raw>`select ${columns(user)} from ${FROM} where f.id = ${id}`.execute(db);
  return found.rows[0] && toRow(found.rows[0]);
}

export const lockFirmware = (tx: Tx, id: string) => sql`select id from firmware where id = ${id} for update`.execute(tx);

type Fields = Omit<NewFirmware, 'fileId' | 'signature' | 'sha256'>;
export interface Signed {
  signature: string | null;
  state: SignatureState;
}

/** `userId`: null for a firmware that no user uploaded. */
export async function insertFirmware(
  tx: Tx,
  userId: string | null,
  fields: Fields,
  fileId: string,
  signed: Signed,
  now: Date,
): Promise<string> {
  const made = await sql<{ id: string }>`
    insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason, file_provider,
      from_versions, file_id, signature, signature_state, created_by, touched_by, created_at, updated_at)
    select ${fields.name}, ${fields.version}, ${fields.upgradeProtocol}, ${fields.supplierId}, ${fields.targetKind}, ${fields.typeIds}::bigint[],
      ${fields.imageIdentifier}, ${fields.blockSize}, ${fields.upgradeReason}, ${fields.fileProvider}, ${fields.fromVersions}::text[], x.id,
      ${signed.signature}, ${signed.state}, ${userId}, array_remove(array[${userId}::bigint, x.uploaded_by], null), ${now}, ${now}
    from firmware_file x where x.id = ${fileId} returning id`.execute(tx);
  return made.rows[0]?.id ?? '';
}

export const updateFirmware = (tx: Tx, userId: string, id: string, fields: Fields, now: Date) =>
  sql`update firmware set name = ${fields.name}, version = ${fields.version}, upgrade_protocol = ${fields.upgradeProtocol}, supplier_id = ${fields.supplierId},
    target_kind = ${fields.targetKind}, type_ids = ${fields.typeIds}::bigint[], image_identifier = ${fields.imageIdentifier}, block_size = ${fields.blockSize},
    upgrade_reason = ${fields.upgradeReason}, file_provider = ${fields.fileProvider}, from_versions = ${fields.fromVersions}::text[],
    touched_by = array_remove(touched_by, ${userId}::bigint) || ${userId}::bigint, updated_at = ${now}, revision = revision + 1 where id = ${id}`.execute(
    tx,
  );

export const approveFirmware = (tx: Tx, userId: string, id: string, now: Date) =>
  sql`update firmware set state = 'approved', approved_by = ${userId}, approved_at = ${now}, updated_at = ${now}, revision = revision + 1 where id = ${id}`.execute(
    tx,
  );

export const retireFirmware = (tx: Tx, id: string, now: Date) =>
  sql`update firmware set state = 'retired', updated_at = ${now}, revision = revision + 1 where id = ${id}`.execute(tx);

/** Deletes a firmware, and its file when no other firmware uses it. */
export async function deleteFirmware(tx: Tx, id: string): Promise<void> {
  await sql`with gone as (delete from firmware where id = ${id} returning file_id)
    delete from firmware_file x using gone where x.id = gone.file_id
      and not exists (select from firmware f where f.file_id = x.id and f.id <> ${id})`.execute(tx);
}

export async function deleteUnusedFirmware(tx: Tx, id: string): Promise<void> {
  const used = await sql`select from upgrade_job where firmware_id = ${id} limit 1`.execute(tx);
  if (used.rows.length === 0) await deleteFirmware(tx, id);
}

interface Published {
  name: string;
  version: string;
  supplierCode: string;
  typeCodes: readonly string[];
}

/** Supplier and meter types of a published firmware; undefined if one of them is missing, or the version exists. */
export async function findPublished(
  tx: Tx,
  { name, version, supplierCode, typeCodes }: Published,
): Promise<{ supplierId: string; typeIds: string[] } | undefined> {
  const found = await sql<{ supplierId: string; typeIds: string[] }>`
    select s.id as supplier_id, array(select t.id from meter_type t where t.code = any(${[...typeCodes]}::text[]) order by t.id) as type_ids
    from supplier s where s.code = ${supplierCode} and not exists (select from firmware f where f.name = ${name} and f.version = ${version})`.execute(
    tx,
  );
  const row = found.rows[0];
  return row?.typeIds.length === typeCodes.length ? row : undefined;
}

export async function openJobsOf(db: Tx, id: string): Promise<string[]> {
  const found = await sql<{
    name: string;
  }>`select name from upgrade_job where firmware_id = ${id} and state not in ('finished', 'stopped') order by id limit 6`.execute(db);
  return found.rows.map((row) => row.name);
}

/** Counts the ids that exist as meter types or DCU types, depending on the target. */
export async function countTypes(db: Tx, kind: string, ids: readonly string[]): Promise<number> {
  const table = sql.table(kind === 'meter' ? 'meter_type' : 'dcu_type');
  const found = await sql<{ count: number }>`select count(*)::int as count from ${table} where id = any(${[...ids]}::bigint[])`.execute(db);
  return found.rows[0]?.count ?? 0;
}

export async function hasSupplier(db: Tx, id: string): Promise<boolean> {
  return (await sql`select from supplier where id = ${id}`.execute(db)).rows.length > 0;
}

// ── Files ───────────────────────────────────────────────────────────────────────────────────────

export async function insertFile(tx: Tx, file: { name: string; format: string; userId: string | null; at: Date }): Promise<string> {
  const made = await sql<{ id: string }>`insert into firmware_file (name, size, sha256, format, uploaded_by, uploaded_at)
    values (${file.name}, 0, '', ${file.format}, ${file.userId}, ${file.at}) returning id`.execute(tx);
  return made.rows[0]?.id ?? '';
}

export const insertChunk = (tx: Tx, fileId: string, n: number, octets: Buffer) =>
  sql`insert into firmware_chunk (file_id, n, octets) values (${fileId}, ${n}, ${octets})`.execute(tx);

export const closeFile = (tx: Tx, fileId: string, file: { size: number; sha256: string; format: string }) =>
  sql`update firmware_file set size = ${file.size}, sha256 = ${file.sha256}, format = ${file.format} where id = ${fileId}`.execute(tx);

/** Deletes uploads that no firmware has used within a day. */
export const dropStrayFiles = (tx: Tx, now: number) =>
  sql`delete from firmware_file x where uploaded_at < ${new Date(now - DAY_MS)} and not exists (select from firmware f where f.file_id = x.id)`.execute(
    tx,
  );

/** Finds an upload of this user that no firmware uses yet. */
export async function findUpload(tx: Tx, user: User, fileId: string): Promise<{ sha256: string } | undefined> {
  const found = await sql<{ sha256: string }>`select x.sha256 from firmware_file x where x.id = ${fileId} and x.uploaded_by = ${user.id}
    and not exists (select from firmware f where f.file_id = x.id)`.execute(tx);
  return found.rows[0];
}

export async function readFile(db: Db | Tx, fileId: string): Promise<Buffer> {
  const found = await sql<{ octets: Buffer }>`select octets from firmware_chunk where file_id = ${fileId} order by n`.execute(db);
  return Buffer.concat(found.rows.map((row) => row.octets));
}

export async function findFile(db: Db, firmwareId: string): Promise<{ fileId: string; name: string } | undefined> {
  const found = await sql<{ fileId: string; name: string }>`
    select x.id as file_id, x.name from firmware f join firmware_file x on x.id = f.file_id where f.id = ${firmwareId}`.execute(db);
  return found.rows[0];
}

// ── Keys of manufacturers ───────────────────────────────────────────────────────────────────────

export async function listKeys(db: Db) {
  const found = await sql<{ supplierId: string; supplierName: string; publicKey: string; updatedAt: Date; updatedByName: string | null }>`
    select k.supplier_id, s.name as supplier_name, k.public_key, k.updated_at, u.name as updated_by_name
    from firmware_key k join supplier s on s.id = k.supplier_id left join app_user u on u.id = k.updated_by order by s.name`.execute(db);
  return found.rows.map((row) => ({ ...row, updatedAt: row.updatedAt.toISOString() }));
}

export async function findKey(db: Db, supplierId: string): Promise<string | undefined> {
  const found = await sql<{ publicKey: string }>`select public_key from firmware_key where supplier_id = ${supplierId}`.execute(db);
  return found.rows[0]?.publicKey;
}

export const saveKey = (tx: Tx, userId: string, supplierId: string, publicKey: string, now: Date) =>
  publicKey === ''
    ? sql`delete from firmware_key where supplier_id = ${supplierId}`.execute(tx)
    : sql`insert into firmware_key (supplier_id, public_key, updated_by, updated_at) values (${supplierId}, ${publicKey}, ${userId}, ${now})
        on conflict (supplier_id) do update set public_key = excluded.public_key, updated_by = excluded.updated_by, updated_at = excluded.updated_at`.execute(
        tx,
      );
