import type { Pool } from 'pg';
import { createPartitions } from '../../apps/server/src/db/partitions.ts';
import { sealKeys } from '../../apps/server/src/platform/device-keys.ts';
import type { Secrets } from '../../apps/server/src/platform/secrets.ts';
import { CHANNELS, DCU_SN, marksOf, memoryOf, meterKeys, meterSn, meterTitle, SLOTS, STORED_SLOT, valueOf } from './fleet.ts';

export interface FleetSize {
  dcus: number;
  meters: number;
}

/** The DCU of meter `index`: meters are distributed round-robin. */
export const dcuOf = (index: number, dcus: number): string => DCU_SN((index % dcus) + 1);

/** Registers a fleet with known object lists, so that measurements exclude their first reading. */
export async function fillArchive(pool: Pool, secrets: Secrets, { dcus, meters }: FleetSize): Promise<void> {
  await pool.query(`
    insert into supplier (code, name) values ('B', 'Bench');
    insert into southbound_profile (key, name, device_kind, body) values ('bench', 'Bench', 'dcu', '{}') on conflict do nothing;
    insert into network_level (name, code, type, path) values ('Bench', 'BENCH', 'company', '{1}');
    insert into transformer (code, name, level_id) select 'BENCH', 'Bench', id from network_level where code = 'BENCH';
    insert into dcu_type (code, name, supplier_id, profile_id, heartbeat_s, apdu_size, allowed_addresses)
      select 'BENCH', 'Bench', s.id, p.id, 3600, 16384, '{127.0.0.0/8}' from supplier s, southbound_profile p where s.code = 'B' and p.key = 'bench';
    insert into meter_type (code, name, supplier_id, phase, profile_id)
      select 'BENCH', 'Bench', s.id, '1p2w', p.id from supplier s, southbound_profile p where s.code = 'B' and p.key = 'bench'`);
  await pool.query(
    `insert into dcu (sn, name, dcu_type_id, transformer_id)
     select sn, sn, (select id from dcu_type where code = 'BENCH'), (select id from transformer where code = 'BENCH') from unnest($1::text[]) sn`,
    [Array.from({ length: dcus }, (_, i) => DCU_SN(i + 1))],
  );
  const all = Array.from({ length: meters }, (_, i) => i + 1);
  const sealed = all.map((index) => sealKeys(secrets, 'meter', meterSn(index), meterKeys(index)));
  await pool.query(
    `with k as (insert into meter_memory (told, digest) values ($7::text::json, sha256(convert_to($7::text, 'UTF8'))) returning id)
     insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, system_title, ek_secret, ak_secret, marks, memory_id)
     select n.sn, (select id from meter_type where code = 'BENCH'), 'plc', 'active', d.transformer_id, d.id, n.title, n.ek, n.ak, $6, k.id
     from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::bytea[]) as n (sn, dcu, title, ek, ak) join dcu d on d.sn = n.dcu cross join k`,
    [
      all.map(meterSn),
      all.map((index) => dcuOf(index, dcus)),
      all.map((index) => Buffer.from(meterTitle(index))),
      sealed.map(({ ekSecret }) => ekSecret),
      sealed.map(({ akSecret }) => akSecret),
      marksOf(Date.now()),
      JSON.stringify(Object.fromEntries(memoryOf())),
    ],
  );
  await pool.query('analyze');
}

/**
 * Stores the last row of the day before `day` (days since 1970) for every meter, as an earlier collection left it: without a stored row to
 * compare, the head-end reads the layout of the profile again.
 */
export async function fillLastRow(pool: Pool, { meters, day }: { meters: number; day: number }): Promise<void> {
  await createPartitions(pool, Date.now());
  const all = Array.from({ length: meters }, (_, i) => i + 1);
  await pool.query(
    `insert into reading_profile (meter_id, profile, day, period_s, present, status, ${CHANNELS.join(', ')}, read_at, source)
     select m.id, 'lpa', date '1970-01-01' + $1::int, ${86_400 / SLOTS}, 1, array_fill(null::int, array[${SLOTS - 1}]) || 0,
       ${CHANNELS.map((column) => `array_fill(null::bigint, array[${SLOTS - 1}]) || n.${column}`).join(', ')}, now(), 'meter'
     from unnest($2::text[], ${CHANNELS.map((_, c) => `$${c + 3}::bigint[]`).join(', ')}) as n (sn, ${CHANNELS.join(', ')}) join meter m using (sn)`,
    [day - 1, all.map(meterSn), ...CHANNELS.map((_, c) => all.map((index) => valueOf(index, STORED_SLOT, c)))],
  );
  await pool.query('analyze reading_profile');
}
