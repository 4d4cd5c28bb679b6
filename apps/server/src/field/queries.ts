import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';
import type { MeterQuirk } from '@hes/contract/asset/meter-type.ts';
import type { Association, AuthenticationType, Ciphering, DcuProtocol, KeyAgreement } from '@hes/contract/states/device.ts';
import type { Pool } from 'pg';
import type { Tx } from '#db/context.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import { ASYNC_COMMIT } from '#db/async-commit.ts';
import type { Epoch } from '#nodes/epoch.ts';
import { certificatesColumn, type LoadedCertificate } from './certificates.ts';
import type { MeterMetadata } from './meter-metadata.ts';

export interface DeviceRef {
  kind: 'dcu' | 'meter';
  id: string;
}

/**
 * Seconds since 2020, the lower limit of every reserved counter. Devices use less than one counter a second on average, so counters stay
 * above all used ones even after an old backup was restored. Fits 32 bits until 2156.
 */
const CLOCK_COUNTER = 'extract(epoch from now())::bigint - 1577836800';

/** Reserves the next `size` counters for the caller alone and returns the first of them. */
export async function reserveSpan(pool: Pool, size: number): Promise<number> {
  const taken = await pool.query<{ first: string }>(
    `update counter_mark set through = least(greatest(through, ${CLOCK_COUNTER}) + $1, 4294967296) returning through - $1 as first`,
    [size],
  );
  return Number(taken.rows[0]?.first);
}

/** Reserves a block of counters for each device, above the shared span; returns the first of each block, in the order of `devices`. */
export async function reserveCounters(pool: Pool, devices: DeviceRef[], block: number): Promise<number[]> {
  const first = new Map<string, number>();
  for (const kind of ['dcu', 'meter'] as const) {
    const ids = devices.filter((device) => device.kind === kind).map((device) => device.id);
    if (ids.length === 0) continue;
    const taken = await pool.query<{ id: string; first: string }>({
      name: `reserve_${kind}`,
      // Locked in the order of ids, so that two nodes cannot deadlock.
      text: `with d as (select id from ${kind} where id = any($1) order by id for update)
        update ${kind} t set invocation_counter = least(greatest(t.invocation_counter, m.through, ${CLOCK_COUNTER}) + $2, 4294967296)
        from d, counter_mark m where t.id = d.id returning t.id, t.invocation_counter - $2 as first`,
      values: [ids, block],
    });
    for (const row of taken.rows) first.set(`${kind}/${row.id}`, Number(row.first));
  }
  return devices.map((device) => {
    const counter = first.get(`${device.kind}/${device.id}`);
    if (counter === undefined) throw new Error(`No such device: ${device.kind}/${device.id}`);
    return counter;
  });
}

/** Raises a counter as an unauthenticated response demands, at most once a day and device; returns whether it did. Never lowers a counter. */
export async function acceptDemandedCounter(pool: Pool, { kind, id }: DeviceRef, atLeast: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ${kind} set invocation_counter = greatest(invocation_counter, $2), counter_jumped_at = now()
     where id = $1 and (counter_jumped_at is null or counter_jumped_at < now() - interval '1 day' or counter_jumped_at > now())`,
    [id, atLeast],
  );
  return rowCount === 1;
}

export async function updateProvedCounter(pool: Pool, { kind, id }: DeviceRef, counter: number): Promise<void> {
  await pool.query(`update ${kind} set proved_counter = greatest(proved_counter, $2) where id = $1`, [id, counter]);
}

export interface MeterDeviceRow {
  id: string;
  sn: string;
  dcuId: string | null;
  meterTypeId: string;
  /** The meter has a connection of its own: its endpoint is no DCU. */
  isDirect: boolean;
  gatewayAddress: Buffer | null;
  clientSap: number;
  serverSap: number;
  authenticationType: AuthenticationType;
  systemTitle: Buffer | null;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
  passwordSecret: Buffer | null;
  peerCounter: string;
  ownMark: string;
  provedCounter: string;
  apduSize: number;
  securitySuite: SecuritySuite;
  ciphering: Ciphering;
  keyAgreement: KeyAgreement;
  generalSigning: boolean;
  /** Null: its associations need none. */
  certificates: LoadedCertificate[] | null;
  association: Association;
  addressing: 'logical' | 'short';
  quirks: MeterQuirk[];
  lpaPeriodS: number;
  lpbPeriodS: number;
  memoryId: string | null;
  marks: Record<string, number>;
  setAsideUntil: Date | null;
  setAsideTimes: number;
}

const METER_CERTIFICATES = certificatesColumn({
  isNeeded: "mt.authentication_type = 'hls_ecdsa' or mt.key_agreement <> 'none' or mt.general_signing",
  suite: 'mt.security_suite',
  title: 'm.system_title',
});

/** Loads all data that an association with these meters needs, in one statement. */
export async function findMeterDevices(pool: Pool, ids: string[]): Promise<MeterDeviceRow[]> {
  const found = await pool.query<MeterDeviceRow>({
    name: 'meter_devices',
    text: `
      select m.id, m.sn, m.dcu_id as "dcuId", m.meter_type_id as "meterTypeId", coalesce(e.kind = 'meter', false) as "isDirect", m.gateway_address as "gatewayAddress", mt.client_sap as "clientSap", mt.server_sap as "serverSap",
        mt.authentication_type as "authenticationType", m.system_title as "systemTitle", m.ek_secret as "ekSecret", m.ak_secret as "akSecret", m.password_secret as "passwordSecret",
        m.peer_invocation_counter as "peerCounter", m.invocation_counter as "ownMark", m.proved_counter as "provedCounter", coalesce(dt.apdu_size, mt.apdu_size) as "apduSize", mt.security_suite as "securitySuite", mt.ciphering, mt.association, mt.addressing, mt.quirks, mt.key_agreement as "keyAgreement", mt.general_signing as "generalSigning", ${METER_CERTIFICATES} as certificates, mt.lpa_period_s as "lpaPeriodS", mt.lpb_period_s as "lpbPeriodS", m.marks, m.memory_id as "memoryId",
        m.set_aside_until as "setAsideUntil", m.set_aside_times as "setAsideTimes"
      from meter m join meter_type mt on mt.id = m.meter_type_id
      left join endpoint e on e.id = m.dcu_id left join dcu_type dt on dt.id = e.dcu_type_id
      where m.id = any($1)`,
    values: [ids],
  });
  return found.rows;
}

/** What a connection leads to: a DCU, or a direct meter, which has a connection of its own. */
export interface EndpointRow {
  id: string;
  /** Id of the node that holds the connection; null: none. */
  nodeId: string | null;
  /** Id of the node that held the last connection; null: there was none. */
  lastNodeId: string | null;
  sn: string;
  /** Id of the direct meter; null: a DCU. */
  meterId: string | null;
  connectionType: 'dial_in' | 'dial_out';
  protocol: DcuProtocol;
  /** Lower HDLC address. */
  physicalAddress: number | null;
  host: string | null;
  port: number | null;
  heartbeatS: number;
  parallelMeters: number;
  apduSize: number;
  clientSap: number;
  serverSap: number;
  authenticationType: AuthenticationType;
  systemTitle: Buffer | null;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
  passwordSecret: Buffer | null;
  /** Null: its associations need none. */
  certificates: LoadedCertificate[] | null;
  ownMark: string;
  provedCounter: string;
  /** Address ranges of its type from which a DCU without keys is admitted. */
  allowedAddresses: string[];
}

/** The suite in which DCUs authenticate with certificates; all else of DCUs is suite 0. */
export const DCU_CERTIFICATE_SUITE = 1;
const DCU_CERTIFICATES = certificatesColumn({
  isNeeded: "e.kind = 'dcu' and e.authentication_type = 'hls_ecdsa'",
  suite: String(DCU_CERTIFICATE_SUITE),
  title: 'e.system_title',
});

const ENDPOINTS = `
  select e.id, e.sn, e.node_id as "nodeId", (select node_id from dcu_session where id = e.last_session_id) as "lastNodeId", m.id as "meterId", e.connection_type as "connectionType", e.protocol, e.physical_address as "physicalAddress", e.host, e.port, coalesce(t.heartbeat_s, mt.heartbeat_s) as "heartbeatS",
    coalesce(t.parallel_meters, 1) as "parallelMeters", coalesce(t.apdu_size, mt.apdu_size) as "apduSize", e.client_sap as "clientSap", e.server_sap as "serverSap",
    coalesce(mt.authentication_type, e.authentication_type) as "authenticationType", coalesce(m.system_title, e.system_title) as "systemTitle",
    e.ek_secret as "ekSecret", e.ak_secret as "akSecret", e.password_secret as "passwordSecret", ${DCU_CERTIFICATES} as certificates, e.invocation_counter as "ownMark",
    e.proved_counter as "provedCounter", coalesce(t.allowed_addresses, mt.allowed_addresses) as "allowedAddresses"
  from endpoint e left join dcu_type t on t.id = e.dcu_type_id
  left join meter m on m.dcu_id = e.id and e.kind = 'meter' left join meter_type mt on mt.id = m.meter_type_id`;

/** Endpoints in the order of `sns`; undefined where none has the serial number. */
export async function findEndpointsBySn(pool: Pool, sns: readonly string[]): Promise<(EndpointRow | undefined)[]> {
  const found = await pool.query<EndpointRow>({ name: 'endpoints_by_sn', text: `${ENDPOINTS} where e.sn = any($1)`, values: [[...sns]] });
  const bySn = new Map(found.rows.map((row) => [row.sn, row]));
  return sns.map((sn) => bySn.get(sn));
}

/** Endpoints with these system titles, in no order. */
export async function findEndpointsByTitle(pool: Pool, titles: readonly Uint8Array[]): Promise<EndpointRow[]> {
  const found = await pool.query<EndpointRow>({
    name: 'endpoints_by_title',
    text: `${ENDPOINTS} where e.id in (select id from endpoint where system_title = any($1) union all select dcu_id from meter where system_title = any($1))
      and coalesce(m.system_title, e.system_title) = any($1)`,
    values: [titles.map((title) => Buffer.from(title))],
  });
  return found.rows;
}

export async function findEndpointsById(pool: Pool, ids: readonly string[]): Promise<EndpointRow[]> {
  const found = await pool.query<EndpointRow>(`${ENDPOINTS} where e.id = any($1)`, [ids]);
  return found.rows;
}

/** Endpoints of the direct ones of these meters. */
export async function findEndpointsOfMeters(pool: Pool, meterIds: readonly string[]): Promise<EndpointRow[]> {
  const found = await pool.query<EndpointRow>(`${ENDPOINTS} where m.id = any($1)`, [meterIds]);
  return found.rows;
}

export async function findEndpointsToDial(pool: Pool): Promise<EndpointRow[]> {
  const found = await pool.query<EndpointRow>(`${ENDPOINTS} where e.connection_type = 'dial_out' and e.host is not null`);
  return found.rows;
}

interface EndedUnknown {
  id: string;
  sn: string;
  isDcu: boolean;
  lastCommAt: Date | null;
}

/**
 * Sets endpoints offline that have not connected to any node within their heartbeat tolerance, and returns them. Nothing changes when a node
 * that is believed to be alive has ended meanwhile: then the time since the last death is shorter than the caller knows.
 */
export async function endUnknown(pool: Pool, msSinceDeath: number, aliveNodes: readonly string[]): Promise<EndedUnknown[]> {
  const ended = await pool.query<EndedUnknown>(
    `update endpoint set online_status = 'offline' from (${ENDPOINTS} where e.online_status = 'unknown') as one
     where one.id = endpoint.id and one."heartbeatS" * ${MISSED_HEARTBEATS * 1000} <= $1
       and not exists (select from node where id = any($2) and ended_at is not null)
     returning endpoint.id, endpoint.sn, one."meterId" is null as "isDcu", endpoint.last_comm_at as "lastCommAt"`,
    [msSinceDeath, aliveNodes],
  );
  return ended.rows;
}

const OPENED = "now() - $5::float8 * interval '1 millisecond'";

export interface OpenedSession {
  dcuId: string;
  claimedName: string;
  direction: 'dial_in' | 'dial_out';
  remote: string;
  /** Milliseconds since the connection was opened. The database makes all timestamps of a session, so that they are in order. */
  openMs: number;
  /** Id of this node, which holds the connection from now on. */
  nodeId: string;
}

/**
 * Inserts the row of a session and makes this node the holder of its endpoint, which becomes online. The last adoption wins: the device
 * itself chose the newest connection. Returns the epoch of the adoption.
 */
export async function openSessionRow(pool: Pool, session: OpenedSession): Promise<Epoch> {
  const opened = await pool.query<{ id: string }>({
    name: 'open_session',
    text: `with s as (
        insert into dcu_session (dcu_id, claimed_name, direction, remote, opened_at, identified_at, node_id)
        values ($1, $2, $3, $4, ${OPENED}, now(), $6) returning id
      ), d as (
        update endpoint set online_status = 'online', last_comm_at = now(), last_session_id = s.id, node_id = $6 from s where endpoint.id = $1
      ) select id from s`,
    values: [session.dcuId, session.claimedName, session.direction, session.remote, session.openMs, session.nodeId],
  });
  const id = opened.rows[0]?.id;
  if (id === undefined) throw new Error('The session was not inserted');
  return id as Epoch; // as: an adoption makes the epoch
}

/** Ids of the meters that are read through an endpoint. */
export async function findMeterIdsOf(pool: Pool, endpointId: string): Promise<string[]> {
  const found = await pool.query<{ id: string }>({
    name: 'meters_of_endpoint',
    text: 'select id from meter where dcu_id = $1',
    values: [endpointId],
  });
  return found.rows.map(({ id }) => id);
}

/** A connection of this node, and the epoch of its adoption. */
export interface HeldEndpoint {
  id: string;
  epoch: Epoch;
}

/**
 * Of these connections, those whose device was adopted again since. Its present holder does not count: a node that adopted the device and has
 * lost it again leaves none, and the older connection could serve it no more.
 */
export async function findMovedEndpoints(pool: Pool, held: readonly HeldEndpoint[]): Promise<HeldEndpoint[]> {
  const found = await pool.query<HeldEndpoint>({
    name: 'moved_endpoints',
    text: `select held.id, held.epoch from unnest($1::bigint[], $2::bigint[]) as held (id, epoch)
      join endpoint e on e.id = held.id where e.last_session_id is distinct from held.epoch`,
    values: [held.map(({ id }) => id), held.map(({ epoch }) => epoch)],
  });
  return found.rows;
}

export interface ClosedSession {
  id: string;
  dcuId: string;
  reason: string;
  detail: string | null;
  bytesIn: number;
  bytesOut: number;
  /** Milliseconds since the session ended: a write that failed is repeated. */
  closedForMs: number;
  /** Null: a newer session of the DCU replaces this one. */
  onlineStatus: 'offline' | 'unknown' | null;
}

/** Closes the row of a session. Its endpoint changes only if it has no newer session, of this node or of another; returns whether it changed. */
export async function closeSessionRow(pool: Pool, session: ClosedSession): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'close_session',
    text: `with s as (
        update dcu_session set closed_at = greatest(identified_at, now() - make_interval(secs => $8 / 1000.0)), close_reason = $2, close_detail = $3, bytes_in = $4, bytes_out = $5 where id = $1 and closed_at is null
      ) update endpoint set online_status = $6, node_id = null where $6::text is not null and id = $7 and last_session_id = $1`,
    values: [
      session.id,
      session.reason,
      session.detail,
      session.bytesIn,
      session.bytesOut,
      session.onlineStatus,
      session.dcuId,
      session.closedForMs,
    ],
  });
  return rowCount === 1;
}

export interface RejectedConnection {
  dcuId: string | null;
  claimedName: string | null;
  direction: 'dial_in' | 'dial_out';
  remote: string;
  /** Milliseconds since the connection was opened. The database makes all timestamps of a session, so that they are in order. */
  openMs: number;
  reason: string;
  detail: string | null;
  bytesIn: number;
  bytesOut: number;
}

/** Inserts a row for a connection that was closed before it became the session of a DCU. */
export async function insertRejectedConnection(pool: Pool, session: RejectedConnection): Promise<void> {
  await pool.query(
    `insert into dcu_session (dcu_id, claimed_name, direction, remote, opened_at, closed_at, close_reason, close_detail, bytes_in, bytes_out)
     values ($1, $2, $3, $4, ${OPENED}, now(), $6, $7, $8, $9)`,
    [
      session.dcuId,
      session.claimedName,
      session.direction,
      session.remote,
      session.openMs,
      session.reason,
      session.detail,
      session.bytesIn,
      session.bytesOut,
    ],
  );
}

/** Unregistered callers that are listed at most. */
export const MAX_PARKED = 10_000;

/** Lists an unregistered caller for operators, who register or ignore it. No further one is added when `most` are listed. */
export async function recordUnregisteredDcu(
  pool: Pool,
  caller: { name: string; remote: string; systemTitle: Uint8Array | undefined },
  most = MAX_PARKED,
): Promise<void> {
  await pool.query(
    `insert into dcu_unregistered as u (claimed_name, remote, system_title)
     select $1, $2, $3 where (select count(*) from dcu_unregistered) < $4 or exists (select from dcu_unregistered where claimed_name = $1)
     on conflict (claimed_name) do update set remote = excluded.remote, system_title = excluded.system_title, last_seen_at = now(), times_seen = u.times_seen + 1`,
    [caller.name, caller.remote, caller.systemTitle ?? null, most],
  );
}

/** Changes of a meter since its row was last written. */
export interface MeterStateUpdate {
  id: string;
  /** Epoch milliseconds. */
  heardAt: number | null;
  readAt: number | null;
  peerCounter: number;
  /** Epoch milliseconds by key; they replace stored ones with the same key. */
  watermarks: Record<string, number> | undefined;
  /** Metadata before and after the change, equal when only watermarks changed. Both have rows, unless they are empty. */
  metadata: { before: MeterMetadata; after: MeterMetadata } | undefined;
}

/** Timestamps may be written out of order within this time. A stored one that is further ahead predates a step back of the wall clock. */
const OUT_OF_ORDER = "interval '1 minute'";
const newerOf = (stored: string, fresh: string): string =>
  `case when ${stored} > ${fresh} + ${OUT_OF_ORDER} then ${fresh} else greatest(${stored}, ${fresh}) end`;

/**
 * Writes updates of meters and returns the ids of those whose stored metadata another head-end has changed. Either one may be outdated, so
 * the metadata of such a meter is cleared and must be read again.
 */
export async function updateMeters(pool: Pool, updates: MeterStateUpdate[]): Promise<string[]> {
  const conflicts = await pool.query<{ id: string }>({
    name: 'update_meters',
    text: `
      with n as (
        select id, to_timestamp(heard_ms / 1000) as heard_at, to_timestamp(read_ms / 1000) as read_at, peer_counter, marks,
          before_id, after_id
        from unnest($1::bigint[], $2::float8[], $3::float8[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
          as n (id, heard_ms, read_ms, peer_counter, marks, before_id, after_id) where ${ASYNC_COMMIT} order by id
      ), u as (
        update meter m set last_comm_at = ${newerOf('m.last_comm_at', 'n.heard_at')}, last_read_at = ${newerOf('m.last_read_at', 'n.read_at')},
          peer_invocation_counter = greatest(m.peer_invocation_counter, n.peer_counter),
          marks = case when n.marks is null then m.marks else m.marks || n.marks::jsonb end,
          memory_id = case when n.marks is null and n.after_id is null then m.memory_id
            -- The second comparison is for a retry after a lost response.
            when m.memory_id is not distinct from n.before_id or m.memory_id = n.after_id then n.after_id end,
          -- The first successful read activates an installed meter.
          inventory_state = case when m.inventory_state = 'installed' and n.read_at is not null then 'active' else m.inventory_state end
        from n where m.id = n.id
        returning m.id, n.after_id is not null and m.memory_id is null as is_lost
      )
      select id from u where is_lost`,
    values: [
      pgArrayLiteral(updates.map((u) => u.id)),
      pgArrayLiteral(updates.map((u) => u.heardAt)),
      pgArrayLiteral(updates.map((u) => u.readAt)),
      pgArrayLiteral(updates.map((u) => u.peerCounter)),
      updates.map((u) => (u.watermarks === undefined ? null : JSON.stringify(u.watermarks))),
      pgArrayLiteral(updates.map((u) => u.metadata?.before.id ?? null)),
      pgArrayLiteral(updates.map((u) => u.metadata?.after.id ?? null)),
    ],
  });
  return conflicts.rows.map(({ id }) => id);
}

/** Last contact of a DCU or a direct meter. */
export interface EndpointStateUpdate {
  id: string;
  heardAt: Date;
}

export async function updateEndpoints(pool: Pool, updates: EndpointStateUpdate[]): Promise<void> {
  await pool.query(
    `update endpoint e set last_comm_at = ${newerOf('e.last_comm_at', 'n.heard_at')} from unnest($1::bigint[], $2::timestamptz[]) as n (id, heard_at) where e.id = n.id`,
    [updates.map(({ id }) => id), updates.map(({ heardAt }) => heardAt)],
  );
}

/** Metadata of meters by the ids of its rows. */
export async function findMetadata(pool: Pool, ids: readonly string[]): Promise<{ id: string; text: string }[]> {
  const found = await pool.query<{ id: string; text: string }>('select id, told::text as text from meter_memory where id = any($1)', [ids]);
  return found.rows;
}

/** Inserts metadata that has no row yet and sets `id`. An existing row gets a new `learnt_at`, which protects it from the clean-up. */
export async function insertMetadata(pool: Pool, changed: ReadonlySet<MeterMetadata>): Promise<void> {
  for (const metadata of changed) {
    const inserted = await pool.query<{ id: string }>(
      `insert into meter_memory (told, digest) values ($1::text::json, sha256(convert_to($1::text, 'UTF8')))
       on conflict (digest) do update set learnt_at = now() returning id`,
      [metadata.text],
    );
    metadata.id = inserted.rows[0]?.id;
  }
}

export interface ReadingItemRow {
  key: string;
  obis: string;
  classId: number;
  attribute: number;
  unit: number;
}

/** Reading items of these attributes. */
export async function findItemsAt(
  pool: Pool,
  attributes: readonly { classId: number; instance: string; attributeId: number }[],
): Promise<ReadingItemRow[]> {
  const found = await pool.query<ReadingItemRow>({
    name: 'items_at',
    text: `select o.key, o.obis, o.class_id as "classId", o.attribute, o.unit from unnest($1::int[], $2::text[], $3::int[]) as p (class_id, obis, attribute)
      join obis_code o on (o.class_id, o.obis, o.attribute) = (p.class_id, p.obis, p.attribute) and o.kind = 'attribute'`,
    values: [
      pgArrayLiteral(attributes.map(({ classId }) => classId)),
      pgArrayLiteral(attributes.map(({ instance }) => instance)),
      pgArrayLiteral(attributes.map(({ attributeId }) => attributeId)),
    ],
  });
  return found.rows;
}

/** Reading items in the order of `keys`; unknown keys are left out. */
export async function findReadingItems(pool: Pool, keys: string[]): Promise<ReadingItemRow[]> {
  const found = await pool.query<ReadingItemRow>({
    name: 'reading_items',
    text: `select o.key, o.obis, o.class_id as "classId", o.attribute, o.unit from unnest($1::text[]) with ordinality as k (key, n)
      join obis_code o on o.key = k.key and o.kind = 'attribute' order by k.n`,
    values: [keys],
  });
  return found.rows;
}

/** Deletes an unregistered caller by the name that it claimed. Returns false if there was none. */
export async function deleteCaller(tx: Tx, name: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('dcuUnregistered')
    .where((where) => where(where.fn<string>('upper', ['claimedName']), '=', where.fn<string>('upper', [where.val(name)])))
    .returning('claimedName')
    .execute();
  return deleted.length > 0;
}
