import type { Pool } from 'pg';

export interface UtilitySize {
  meters: number;
  dcus: number;
}

export const FULL: UtilitySize = { meters: 1_000_000, dcus: 10_000 };

const METERS_PER_STEP = 100_000;
const DISTRICTS = 100;
const FEEDERS_PER_DISTRICT = 10;
/** Separate from the map area of the simulated fleet; a district is a square of a tenth of a degree. */
const WEST = 112;
const SOUTH = 28;

const LEVELS = [
  `insert into network_level (name, code, type, sort, path) values ('Big Utility', 'BIG', 'company', 1, '{}')`,
  `insert into network_level (parent_id, name, code, type, sort, path)
   select (select id from network_level where code = 'BIG'), 'District ' || n, 'BIG-' || n, 'district', n, '{}' from generate_series(1, ${DISTRICTS}) n`,
  `insert into network_level (parent_id, name, code, type, sort, path)
   select d.id, 'Feeder ' || d.sort || '/' || n, d.code || '-' || n, 'feeder', n, '{}'
   from network_level d cross join generate_series(1, ${FEEDERS_PER_DISTRICT}) n where d.type = 'district'`,
  `with recursive walk as (
     select id, array[id] as ids from network_level where parent_id is null
     union all select l.id, w.ids || l.id from network_level l join walk w on l.parent_id = w.id)
   update network_level l set path = w.ids from walk w where w.id = l.id`,
];

const TYPES = [
  `insert into supplier (code, name, flag_id) select 'BIG' || n, 'Supplier ' || n, 'BI' || chr(64 + n) from generate_series(1, 5) n`,
  `insert into dcu_type (code, name, supplier_id, profile_id)
   select 'BIGD' || s.rn, 'DCU type ' || s.rn, s.id, (select min(id) from southbound_profile where device_kind = 'dcu')
   from (select id, row_number() over (order by id) rn from supplier where code like 'BIG%') s`,
  `insert into meter_type (code, name, supplier_id, profile_id, phase)
   select 'BIGM' || s.rn, 'Meter type ' || s.rn, s.id, (select min(id) from southbound_profile where device_kind = 'meter'),
     case when s.rn <= 3 then '1p2w' else '3p4w' end
   from (select id, row_number() over (order by id) rn from supplier where code like 'BIG%') s`,
];

/** A transformer with one DCU, spread over its district. */
const STATIONS = [
  `insert into transformer (code, name, address, longitude, latitude, level_id, capacity_kva)
   select 'BT' || lpad(n::text, 6, '0'), 'Transformer ' || n, 'Street ' || n % 977 || ' ' || n % 89,
     ${WEST} + (f.rn / ${FEEDERS_PER_DISTRICT} % 10) * 0.1 + (n * 7919 % 1000) / 10000.0,
     ${SOUTH} + (f.rn / ${FEEDERS_PER_DISTRICT} / 10) * 0.1 + (n * 104729 % 1000) / 10000.0, f.id, 400
   from generate_series(1, $1::int) n
   join (select id, row_number() over (order by id) - 1 as rn from network_level where type = 'feeder' and code like 'BIG-%') f
     on f.rn = n % ${DISTRICTS * FEEDERS_PER_DISTRICT}`,
  `insert into dcu (sn, name, dcu_type_id, transformer_id, online_status, last_comm_at)
   select 'BD' || lpad(n::text, 8, '0'), 'DCU ' || n, ty.id, t.id,
     case when n % 50 = 0 then 'never' when n % 20 = 0 then 'offline' else 'online' end,
     case when n % 50 <> 0 then now() - (n % 100) * interval '40 minutes' end
   from generate_series(1, $1::int) n
   join transformer t on t.code = 'BT' || lpad(n::text, 6, '0')
   join (select id, row_number() over (order by id) - 1 as rn from dcu_type where code like 'BIGD%') ty on ty.rn = n % 5`,
];

/** Serial numbers are independent of the DCUs: neighbours in a list are not neighbours in the field. */
const METERS = `
  insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, customer_no, customer_name, address,
    recorded_phase, relay_state, last_comm_at, last_read_at, installed_at)
  select lpad((n::bigint * 7368787 % 1000000007)::text, 12, '0'), ty.id, case when n % 4 = 0 then 'rf' else 'plc' end,
    case when stock then 'in_warehouse' when n % 50 = 1 then 'installed' else 'active' end,
    case when not stock then d.transformer_id end, case when not stock then d.id end,
    'C' || lpad(n::text, 9, '0'), 'Customer ' || n, 'Street ' || n % 977 || ' ' || n % 89, (array['a', 'b', 'c'])[n % 3 + 1],
    case when stock then 'unknown' when n % 200 = 0 then 'disconnected' else 'connected' end,
    heard, heard, case when not stock then now() - interval '200 days' end
  from (select n, n % 100 = 0 as stock,
      case when n % 100 <> 0 and n % 50 <> 1 then now() - make_interval(secs => case when n % 30 = 0 then n % 1000000 else n % 80000 end) end as heard
    from generate_series($1::int, $2::int) n) m
  join (select id, transformer_id, row_number() over (order by id) - 1 as rn from dcu where sn like 'BD%') d on d.rn = n % $3::int
  join (select id, row_number() over (order by id) - 1 as rn from meter_type where code like 'BIGM%') ty on ty.rn = n % 5`;

const ARCHIVES = `
  insert into archive_record (dcu_id, meter_id, sn, idx, bind_state, dispatch_state, distribution_state, diff_kind)
  select dcu_id, id, sn, row_number() over (partition by dcu_id order by id), 'bound',
    case when id % 40 = 0 then 'not_distributed' else 'distributed' end, case when id % 40 = 0 then 'pending_distribution' else 'distributed' end, 'same'
  from meter where dcu_id is not null`;

const LATEST = `
  insert into meter_latest (meter_id, freeze_date, e_plus, lpa_at)
  select id, current_date, id % 9999, last_read_at from meter where last_read_at is not null`;

/** Two days of freezes, because lists count them. */
const FREEZES = `
  insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus)
  select m.id, current_date - d, now(), 'meter', 'read', m.id % 9999 from meter m cross join generate_series(0, 1) d
  where m.last_read_at is not null and (m.id + d) % 37 <> 0`;

const LOADED = 'benchUtility';

/** A loaded database is used as it is, regardless of its size. */
async function isLoaded(pool: Pool): Promise<boolean> {
  const found = await pool.query<{ begun: boolean; loaded: boolean }>(
    `select exists (select from network_level where code = 'BIG') as begun, exists (select from setting where key = '${LOADED}') as loaded`,
  );
  const { begun, loaded } = found.rows[0] ?? { begun: false, loaded: false };
  if (begun && !loaded) throw new Error('Loading was interrupted: delete the folder and load again.');
  return loaded;
}

/** Fills a migrated and seeded database with a utility of this size, by statements alone. Does nothing if it is loaded. */
export async function loadUtility(pool: Pool, size: UtilitySize, tell: (line: string) => void): Promise<void> {
  if (await isLoaded(pool)) return tell('The utility is loaded already.');
  const client = await pool.connect();
  try {
    await client.query('set synchronous_commit = off');
    await client.query("set work_mem = '256MB'");
    for (const statement of [...LEVELS, ...TYPES]) await client.query(statement);
    for (const statement of STATIONS) await client.query(statement, [size.dcus]);
    tell(`${size.dcus} transformers and DCUs`);
    for (let first = 1; first <= size.meters; first += METERS_PER_STEP) {
      const last = Math.min(size.meters, first + METERS_PER_STEP - 1);
      await client.query(METERS, [first, last, size.dcus]);
      tell(`${last} meters`);
    }
    for (const [what, statement] of Object.entries({ archives: ARCHIVES, 'latest values': LATEST, freezes: FREEZES })) {
      await client.query(statement);
      tell(what);
    }
    await client.query('vacuum analyze');
    await client.query(`insert into setting (key, value) values ('${LOADED}', $1)`, [JSON.stringify(size)]);
  } finally {
    client.release();
  }
}
