import { KEY_DIGITS } from '@hes/contract/asset/spoken.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';
import type { DeviceKind, SecretColumns } from '#platform/device-keys.ts';

export interface KeyedDevice {
  id: string;
  sn: string;
  passwordSecret: Buffer | null;
  masterKeySecret: Buffer | null;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
  /** Hexadecimal digits of a key of the security suite. */
  keyDigits: number;
}

/** Devices in the user's area by serial number, with their sealed secrets. */
export async function findKeyed(db: Db, user: User, kind: DeviceKind, sns: readonly string[]): Promise<Map<string, KeyedDevice>> {
  const { rows } = await sql<KeyedDevice>`
    select id, sn, password_secret as "passwordSecret", master_key_secret as "masterKeySecret", ek_secret as "ekSecret", ak_secret as "akSecret",
      ${kind === 'dcu' ? sql`${KEY_DIGITS[0]}::int` : sql`(select case when t.security_suite = 2 then 64 else 32 end from meter_type t where t.id = meter_type_id)`} as "keyDigits"
    from ${sql.table(kind)}
    where sn = any(${[...sns]}::text[]) and ${visible(kind === 'dcu' ? 'dcu.transformerId' : 'meter.transformerId', user)}`.execute(db);
  return new Map(rows.map((row) => [row.sn, row]));
}

/** Hexadecimal digits of a key of these meter types, by id. */
export async function findKeyDigits(db: Db, meterTypeIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; keyDigits: number }>`
    select id, case when security_suite = 2 then 64 else 32 end as "keyDigits" from meter_type where id = any(${[...meterTypeIds]}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, keyDigits }) => [id, keyDigits]));
}

/** Decrypting one page takes some milliseconds, and the event loop serves other calls between two pages. */
const HOLDERS_AT_ONCE = 500;

interface KeyHolder {
  id: string;
  sn: string;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
}

/** The next devices of a kind that have keys, with their sealed keys. */
export async function listKeyHolders(db: Db, kind: DeviceKind, after: string): Promise<KeyHolder[]> {
  const { rows } = await sql<KeyHolder>`select id, sn, ek_secret as "ekSecret", ak_secret as "akSecret" from ${sql.table(kind)}
    where id > ${after} and (ek_secret is not null or ak_secret is not null) order by id limit ${HOLDERS_AT_ONCE}`.execute(db);
  return rows;
}

/** Stores secrets of devices; an absent secret stays. Rows are locked in the order of ids to avoid deadlocks of two imports. */
export async function writeKeys(tx: Tx, kind: DeviceKind, changes: readonly (SecretColumns & { id: string })[], now: Date): Promise<void> {
  const ids = changes.map(({ id }) => id);
  await sql`select from ${sql.table(kind)} where id = any(${ids}::bigint[]) order by id for update`.execute(tx);
  const of = (name: keyof SecretColumns) => sql`${changes.map((change) => change[name] ?? null)}::bytea[]`;
  // A meter restarts its invocation counter with a new key.
  const recount =
    kind === 'meter' ? sql`, peer_invocation_counter = case when g.ek is null then d.peer_invocation_counter else -1 end` : sql``;
  await sql`
    update ${sql.table(kind)} d set
      password_secret = coalesce(g.password, d.password_secret), master_key_secret = coalesce(g.master_key, d.master_key_secret),
      ek_secret = coalesce(g.ek, d.ek_secret), ak_secret = coalesce(g.ak, d.ak_secret)${recount},
      updated_at = ${now}, version = d.version + 1
    from unnest(${ids}::bigint[], ${of('passwordSecret')}, ${of('masterKeySecret')}, ${of('ekSecret')}, ${of('akSecret')}) as g (id, password, master_key, ek, ak)
    where d.id = g.id`.execute(tx);
}
