import type { Pool } from 'pg';

/** Ids of types that are called `P`. */
export interface DeviceTypes {
  dcuTypeId: string;
  meterTypeId: string;
}

/** Inserts one type of DCUs and one of meters, with their supplier and a profile without contents, for tests whose devices only need some type. */
export async function insertDeviceTypes(pool: Pool): Promise<DeviceTypes> {
  const { rows } = await pool.query<DeviceTypes>(`
    with s as (insert into supplier (code, name) values ('P', 'P') returning id),
      p as (insert into southbound_profile (key, name, device_kind, body) values ('p', 'P', 'dcu', '{}') returning id),
      dt as (insert into dcu_type (code, name, supplier_id, profile_id) select 'P', 'P', s.id, p.id from s, p returning id),
      mt as (insert into meter_type (code, name, supplier_id, phase, profile_id) select 'P', 'P', s.id, '1p2w', p.id from s, p returning id)
    select dt.id as "dcuTypeId", mt.id as "meterTypeId" from dt, mt`);
  const [types] = rows;
  if (types === undefined) throw new Error('No types were inserted');
  return types;
}
