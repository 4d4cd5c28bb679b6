import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import type { Subject } from '#db/right-seals.ts';

export async function hasDcus(db: Db): Promise<boolean> {
  return (await db.selectFrom('dcu').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Updates host and port of DCUs and direct meters that the head-end dials. */
export async function updateEndpoints(db: Db, endpoints: { sn: string; host: string; port: number }[]): Promise<void> {
  await sql`
    update endpoint set host = n.host, port = n.port
    from unnest(${endpoints.map((end) => end.sn)}::text[], ${endpoints.map((end) => end.host)}::text[], ${endpoints.map((end) => end.port)}::int[]) as n (sn, host, port)
    where endpoint.sn = n.sn and endpoint.connection_type = 'dial_out' and (endpoint.host, endpoint.port) is distinct from (n.host, n.port)`.execute(
    db,
  );
}

/** Adds a plan that reads load profile B of all meters hourly at low priority; phase identification needs a week of voltages. */
export const planVoltages = (db: Db, nextRunAt: Date) =>
  db
    .insertInto('collectPlan')
    .values({ name: 'Load profile B', type: 'lpb', schedule: '0 0 0/1 * * ? *', lookBackDays: 8, priority: 7, nextRunAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();

/** Ids of the meters at a transformer that have an endpoint, by serial number. */
export async function findMetersOf(db: Db, transformerCode: string): Promise<Map<string, { meterId: string; dcuId: string }>> {
  const found = await db
    .selectFrom('meter')
    .innerJoin('transformer', 'transformer.id', 'meter.transformerId')
    .where('transformer.code', '=', transformerCode)
    .select(['meter.sn', 'meter.id', 'meter.dcuId'])
    .execute();
  return new Map(found.flatMap(({ sn, id, dcuId }) => (dcuId === null ? [] : [[sn, { meterId: id, dcuId }] as const])));
}

/** Meters with a relay that have an endpoint, as devices of an order. */
export async function findRelays(db: Db): Promise<{ deviceKind: 'meter'; dcuId: string; meterId: string }[]> {
  const found = await db
    .selectFrom('meter')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .where('meterType.hasRelay', '=', true)
    .where('meter.isMaster', '=', false)
    .where('meter.dcuId', 'is not', null)
    .select(['meter.id as meterId', 'meter.dcuId'])
    .orderBy('meter.id')
    .execute();
  return found.flatMap(({ meterId, dcuId }) => (dcuId === null ? [] : [{ deviceKind: 'meter' as const, dcuId, meterId }]));
}

/** The user name of a user, or the code of a role. */
export async function findSubjectName(db: Db, { kind, id }: Subject): Promise<string | undefined> {
  const row =
    kind === 'user'
      ? await db.selectFrom('appUser').where('id', '=', id).select('username as name').executeTakeFirst()
      : await db.selectFrom('role').where('id', '=', id).select('code as name').executeTakeFirst();
  return row?.name;
}
