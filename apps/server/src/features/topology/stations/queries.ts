import type { StationRole } from '@hes/contract/states/topology.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface ModuleRow {
  mac: string;
  role: StationRole;
  chipId: string;
  vendor: string;
  hwVersion: string;
  swVersion: string;
  boots: string;
  uptimeS: string;
  readAt: Date;
  replacedAt: Date | null;
  /** Null in readings from before modules reported it. */
  builtOn: string | null;
  noise: number[] | null;
  raw: Record<string, unknown>;
}

export async function findModules(db: Db, dcuId: string): Promise<ModuleRow[]> {
  const { rows } = await sql<ModuleRow>`
    select mac, role, chip_id as "chipId", vendor, hw_version as "hwVersion", sw_version as "swVersion", boots, uptime_s as "uptimeS", read_at as "readAt",
      replaced_at as "replacedAt", raw->>'buildDate' as "builtOn", raw->'noise' as noise, raw from plc_module where dcu_id = ${dcuId}`.execute(
    db,
  );
  return rows;
}

export interface LibraryRow {
  firmwareId: string;
  version: string;
  supplierCode: string;
  supplierName: string;
}

/** Approved firmware for the stations of a DCU of this type. */
export async function findStationFirmware(db: Db, dcuId: string): Promise<LibraryRow[]> {
  const { rows } = await sql<LibraryRow>`
    select f.id as "firmwareId", f.version, s.code as "supplierCode", s.name as "supplierName" from firmware f join supplier s on s.id = f.supplier_id
    where f.target_kind = 'sta' and f.state = 'approved' and (select dcu_type_id from dcu where id = ${dcuId}) = any(f.type_ids)`.execute(
    db,
  );
  return rows;
}

export async function findBoundMeters(db: Db, dcuId: string) {
  const { rows } = await sql<{ id: string; sn: string; lastCommAt: Date | null }>`
    select id, sn, last_comm_at as "lastCommAt" from meter where dcu_id = ${dcuId} and inventory_state <> 'in_warehouse'`.execute(db);
  return rows;
}

/** A station of the DCU's network with its meter, if that is bound. */
export async function findStationMeter(tx: Tx, dcuId: string, mac: string) {
  const { rows } = await sql<{ sn: string; meterId: string | null; boots: string | null }>`
    select n.sn, m.id as "meterId", p.boots from topology_node n left join meter m on m.sn = n.sn and m.dcu_id = n.dcu_id left join plc_module p on p.mac = n.mac
    where n.dcu_id = ${dcuId} and n.mac = ${mac}`.execute(tx);
  return rows[0];
}

export async function isStationOf(db: Db, dcuId: string, mac: string): Promise<boolean> {
  const { rows } = await sql`select from topology_node where dcu_id = ${dcuId} and mac = ${mac}`.execute(db);
  return rows.length > 0;
}

export async function findPingRows(db: Db, { dcuId, taskId, mac }: { dcuId: string; taskId: string; mac: string }) {
  const { rows } = await sql<{ number: number; at: Date; ms: number | null; reasonCode: string | null }>`
    select p.number, p.at, p.ms, p.reason_code as "reasonCode" from station_ping p join topology_node n on n.mac = p.mac and n.dcu_id = ${dcuId}
    where p.task_id = ${taskId} and p.mac = ${mac} order by p.number`.execute(db);
  return rows;
}

/** Marks a module as replaced. Returns whether it exists. */
export async function replaceModule(tx: Tx, change: { dcuId: string; mac: string; at: Date; userId: string }): Promise<boolean> {
  const { dcuId, mac, at, userId } = change;
  const changed = await sql`
    update plc_module set replaced_at = ${at}, replaced_by = ${userId} where mac = ${mac} and dcu_id = ${dcuId}`.execute(tx);
  return Number(changed.numAffectedRows ?? 0) > 0;
}
