import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { listMigrations } from './migration.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await cloneDatabase();
  pool = database.owner;
});
afterAll(() => database.drop());

const STEP = '0050_only_what_is_spoken.sql';
const WORDS = ['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa'];

/** Inserts a DCU type, a DCU, a meter type and a meter for every mechanism that older forms offered. */
async function insertOldRows(suffix: string, password: string): Promise<void> {
  await pool.query(
    `insert into dcu_type (code, name, supplier_id, profile_id, authentication_type, protocol, features)
     select w || $2, w || $2, s.id, p.id, w, 'dlms_hdlc', '{gateway,cache}' from unnest($1::text[]) w, supplier s, southbound_profile p
     where s.code = 'HES-REF' and p.key = 'hes-dcu-1'`,
    [WORDS, suffix],
  );
  await pool.query(
    `insert into dcu (sn, name, dcu_type_id, authentication_type, protocol, password_secret)
     select upper(replace(code, '_', '')), code, id, authentication_type, 'dlms_hdlc', ${password} from dcu_type where code like '%' || $1`,
    [suffix],
  );
  await pool.query(
    `insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type, security_suite, addressing, quirks, image_block_size)
     select w || $2, w || $2, s.id, '1p2w', p.id, w, 2, 'short', '{ldn_short}', 512 from unnest($1::text[]) w, supplier s, southbound_profile p
     where s.code = 'HES-REF' and p.key = 'hes-meter-1p2w'`,
    [WORDS, suffix],
  );
  await pool.query(
    `insert into meter (sn, meter_type_id, communication_mode, inventory_state, password_secret)
     select upper(replace(code, '_', '')), id, 'plc', 'in_warehouse', ${password} from meter_type where code like '%' || $1`,
    [suffix],
  );
}

const mechanismsOf = async (table: 'dcu' | 'dcu_type' | 'meter_type', suffix: string): Promise<string[]> => {
  const { rows } = await pool.query<{ word: string }>(
    `select authentication_type as word from ${table} where ${table === 'dcu' ? 'sn' : 'code'} like '%' || $1 order by id`,
    [suffix],
  );
  return rows.map(({ word }) => word);
};

test('an update replaces unsupported mechanisms by supported ones, and keeps a mechanism with a stored password', async () => {
  await insertOldRows('PLAIN', 'null');
  await insertOldRows('WORD', "'\\x01'::bytea");
  // Constraints belong to the table, of which `dcu` is a view since.
  const step = listMigrations().find(({ name }) => name === STEP)?.sql ?? '';
  await pool.query(step.replaceAll('alter table dcu ', 'alter table endpoint '));
  for (const table of ['dcu', 'dcu_type', 'meter_type'] as const) {
    const gmac = 'hls_gmac';
    expect(await mechanismsOf(table, 'PLAIN')).toEqual(['none', 'low', gmac, gmac, gmac, gmac, gmac, gmac]);
    expect(await mechanismsOf(table, 'WORD')).toEqual(['none', 'low', gmac, 'hls_md5', 'hls_sha1', gmac, 'hls_sha256', gmac]);
  }
  const left = await pool.query(
    `select 1 from dcu where protocol <> 'dlms_wrapper'
     union all select 1 from dcu_type where protocol <> 'dlms_wrapper' or features <> '{}'
     union all select 1 from meter_type where security_suite <> 0 or addressing <> 'logical' or quirks <> '{}' or image_block_size is not null`,
  );
  expect(left.rowCount).toBe(0);
});
