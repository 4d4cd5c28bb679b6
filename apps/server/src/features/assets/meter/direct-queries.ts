import type { CommunicationMode, DcuProtocol } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Connection of a direct meter. */
export interface MeterConnection {
  connectionType: 'dial_in' | 'dial_out';
  host: string | null;
  port: number | null;
  protocol: DcuProtocol;
  /** Lower HDLC address. */
  physicalAddress: number | null;
}

/** Inserts the endpoints of those of these meters that are direct and have none. They dial in until an address is entered. */
export const insertEndpoints = (tx: Tx, meterIds: readonly string[]) =>
  sql`with made as (
      insert into endpoint (kind, sn, name, transformer_id) select 'meter', m.sn, m.sn, m.transformer_id from meter m
      where m.id = any(${[...meterIds]}::bigint[]) and m.communication_mode = 'direct' and m.dcu_id is null returning id, sn
    ) update meter m set dcu_id = made.id from made where m.sn = made.sn`.execute(tx);

export const updateEndpoint = (tx: Tx, meterId: string, connection: MeterConnection, now: Date) =>
  tx
    .updateTable('endpoint')
    .set({ ...connection, updatedAt: now })
    .where('kind', '=', 'meter')
    .where('id', '=', (one) => one.selectFrom('meter').where('meter.id', '=', meterId).select('meter.dcuId'))
    .execute();

/** The connection that an import gives a direct meter; null keeps what is stored. */
type ImportedConnection = { sn: string } & { [K in keyof MeterConnection]: MeterConnection[K] | null };

/** Changes the connections of many direct meters; null keeps the stored value. */
export const updateEndpoints = (tx: Tx, changes: readonly ImportedConnection[], now: Date) =>
  sql`update endpoint e set connection_type = coalesce(g.connection_type, e.connection_type), host = coalesce(g.host, e.host),
      port = coalesce(g.port, e.port), protocol = coalesce(g.protocol, e.protocol),
      physical_address = coalesce(g.physical_address, e.physical_address), updated_at = ${now}
    from unnest(${changes.map(({ sn }) => sn)}::text[], ${changes.map((change) => change.connectionType)}::text[],
      ${changes.map(({ host }) => host)}::text[], ${changes.map(({ port }) => port)}::int[], ${changes.map(({ protocol }) => protocol)}::text[],
      ${changes.map(({ physicalAddress }) => physicalAddress)}::int[]) as g (sn, connection_type, host, port, protocol, physical_address)
    where e.sn = g.sn and e.kind = 'meter'`.execute(tx);

/** Deletes the endpoint of a meter with its sessions. */
export async function deleteEndpoint(tx: Tx, meterId: string, endpointId: string): Promise<void> {
  await tx.updateTable('meter').set({ dcuId: null }).where('id', '=', meterId).where('dcuId', '=', endpointId).execute();
  await tx.deleteFrom('endpoint').where('id', '=', endpointId).where('kind', '=', 'meter').execute();
}

export interface ConnectedMeter {
  id: string;
  sn: string;
  dcuId: string | null;
  communicationMode: CommunicationMode;
  /** Kind of the endpoint to which `dcuId` refers; null: there is none. */
  kind: 'dcu' | 'meter' | null;
  /** Address of the endpoint, for one that is dialled. */
  host: string | null;
}

/** These meters with the kind of their endpoint. */
export const findConnections = (db: Db, meterIds: readonly string[]): Promise<ConnectedMeter[]> =>
  db
    .selectFrom('meter')
    .leftJoin('endpoint', 'endpoint.id', 'meter.dcuId')
    .where(sql<boolean>`meter.id = any(${[...meterIds]}::bigint[])`)
    .select(['meter.id', 'meter.sn', 'meter.dcuId', 'meter.communicationMode', 'endpoint.kind', 'endpoint.host'])
    .execute();
