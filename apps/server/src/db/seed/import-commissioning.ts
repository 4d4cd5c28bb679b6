import { DOWNLINK_MODES } from '@hes/contract/asset/dcu-type.ts';
import type { CommunicationMode } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import type { Context, Tx } from '#db/context.ts';
import { sealChange, sealKeys } from '#platform/device-keys.ts';
import type { Secrets } from '#platform/secrets.ts';
import type { CommissioningFile } from './commissioning.ts';

/** Rows of one insert: below PostgreSQL's limit of 65,535 parameters for the widest table. */
const CHUNK = 1000;

type Ids = Map<string, string>;

const known = (ids: Ids, code: string, what: string): string => {
  const id = ids.get(code);
  if (id === undefined) throw new Error(`The commissioning file names a ${what} that it does not hold: ${code}`);
  return id;
};

const titleOf = (hex: string | null | undefined) => (hex ? Buffer.from(hex, 'hex') : null);

function keysOf(
  secrets: Secrets,
  kind: 'dcu' | 'meter',
  device: { sn: string; ek?: string | null | undefined; ak?: string | null | undefined },
) {
  if (!device.ek || !device.ak) return {};
  return sealKeys(secrets, kind, device.sn, { ek: Buffer.from(device.ek, 'hex'), ak: Buffer.from(device.ak, 'hex') });
}

async function idsOf(tx: Tx, table: 'networkLevel' | 'supplier' | 'dcuType' | 'meterType' | 'transformer'): Promise<Ids> {
  const rows = await tx.selectFrom(table).select(['id', 'code']).execute();
  return new Map(rows.map((row) => [row.code, row.id]));
}

/** Inserts levels, each with the path of its ancestors. The file must list parents first. */
async function importLevels(tx: Tx, file: CommissioningFile): Promise<Ids> {
  for (const [sort, { parentCode, ...level }] of file.levels.entries()) {
    const parent = parentCode
      ? await tx.selectFrom('networkLevel').where('code', '=', parentCode).select(['id', 'path']).executeTakeFirstOrThrow()
      : undefined;
    const created = await tx
      .insertInto('networkLevel')
      .values({
        ...level,
        longitude: level.longitude ?? null,
        latitude: level.latitude ?? null,
        sort,
        parentId: parent?.id ?? null,
        path: sql`'{}'::bigint[]`,
      })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (created === undefined) continue;
    await tx
      .updateTable('networkLevel')
      .set({ path: [...(parent?.path ?? []), created.id] })
      .where('id', '=', created.id)
      .execute();
  }
  return idsOf(tx, 'networkLevel');
}

/** Communication modes of the meters of each type in this file; types without meters are absent. */
function modesOf(file: CommissioningFile, typeCode: string): { communicationModes?: CommunicationMode[] } {
  const modes = new Set(file.meters.filter((meter) => meter.typeCode === typeCode).map((meter) => meter.communicationMode));
  return modes.size === 0 ? {} : { communicationModes: [...modes].toSorted() };
}

/** How the DCUs of a type reach the meters behind them. */
function downlinksOf(file: CommissioningFile, typeCode: string): { downlinkModes?: (typeof DOWNLINK_MODES)[number][] } {
  const dcus = new Set(file.dcus.filter((dcu) => dcu.typeCode === typeCode).map(({ sn }) => sn));
  const behind = file.meters.filter(({ dcuSn }) => dcuSn !== null && dcuSn !== undefined && dcus.has(dcuSn));
  const used = new Set<string>(behind.map(({ communicationMode }) => communicationMode));
  const downlinkModes = DOWNLINK_MODES.filter((mode) => used.has(mode));
  return downlinkModes.length === 0 ? {} : { downlinkModes };
}

async function importTypes(tx: Tx, file: CommissioningFile) {
  if (file.suppliers.length > 0) {
    await tx
      .insertInto('supplier')
      .values(file.suppliers.map(({ code, name, flagId, country }) => ({ code, name, flagId: flagId ?? null, country: country ?? null })))
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute();
  }
  const suppliers = await idsOf(tx, 'supplier');
  const profiles = new Map((await tx.selectFrom('southboundProfile').select(['id', 'key']).execute()).map((row) => [row.key, row.id]));
  for (const { supplierCode, adapter, ...type } of file.dcuTypes) {
    const profile = adapter === 'gateway' ? 'hes-gateway' : 'hes-dcu-1';
    await tx
      .insertInto('dcuType')
      .values({
        ...type,
        ...downlinksOf(file, type.code),
        supplierId: known(suppliers, supplierCode, 'supplier'),
        profileId: known(profiles, profile, 'profile'),
      })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute();
  }
  for (const { supplierCode, phase, authenticationType, ...type } of file.meterTypes) {
    const profile = phase === '1p2w' ? 'hes-meter-1p2w' : 'hes-meter-3p4w';
    await tx
      .insertInto('meterType')
      .values({
        ...type,
        ...modesOf(file, type.code),
        phase,
        ...(authenticationType === undefined ? {} : { authenticationType }),
        accuracy: type.accuracy ?? null,
        voltage: type.voltage ?? null,
        current: type.current ?? null,
        supplierId: known(suppliers, supplierCode, 'supplier'),
        profileId: known(profiles, profile, 'profile'),
      })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute();
  }
  return { dcuTypes: await idsOf(tx, 'dcuType'), meterTypes: await idsOf(tx, 'meterType') };
}

async function importTransformers(tx: Tx, file: CommissioningFile, levels: Ids): Promise<Ids> {
  for (const { levelCode, masterMeterSn: _later, ...transformer } of file.transformers) {
    await tx
      .insertInto('transformer')
      .values({
        ...transformer,
        address: transformer.address ?? null,
        longitude: transformer.longitude ?? null,
        latitude: transformer.latitude ?? null,
        capacityKva: transformer.capacityKva ?? null,
        ctRatio: transformer.ctRatio ?? 1,
        ptRatio: transformer.ptRatio ?? 1,
        levelId: known(levels, levelCode, 'network level'),
      })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute();
  }
  return idsOf(tx, 'transformer');
}

async function importDcus(tx: Tx, file: CommissioningFile, secrets: Secrets, types: Ids, transformers: Ids): Promise<Ids> {
  const rows = file.dcus.map(({ typeCode, transformerCode, ek, ak, systemTitle, ...dcu }) => ({
    ...dcu,
    host: dcu.host ?? null,
    port: dcu.port ?? null,
    country: dcu.country ?? null,
    longitude: dcu.longitude ?? null,
    latitude: dcu.latitude ?? null,
    dcuTypeId: known(types, typeCode, 'DCU type'),
    transformerId: transformerCode ? known(transformers, transformerCode, 'transformer') : null,
    systemTitle: titleOf(systemTitle),
    ...keysOf(secrets, 'dcu', { sn: dcu.sn, ek, ak }),
  }));
  for (let at = 0; at < rows.length; at += CHUNK) {
    await tx
      .insertInto('dcu')
      .values(rows.slice(at, at + CHUNK))
      .onConflict((conflict) => conflict.column('sn').doNothing())
      .execute();
  }
  return new Map((await tx.selectFrom('dcu').select(['id', 'sn']).execute()).map((row) => [row.sn, row.id]));
}

/** Endpoints of the direct meters that have none. */
async function importEndpoints(tx: Tx, file: CommissioningFile): Promise<void> {
  const direct = file.meters.filter(({ communicationMode }) => communicationMode === 'direct');
  await sql`
    with given as (
      select * from unnest(${direct.map(({ sn }) => sn)}::text[], ${direct.map((meter) => meter.connectionType ?? 'dial_in')}::text[],
        ${direct.map((meter) => meter.protocol ?? 'dlms_wrapper')}::text[],
        ${direct.map((meter) => meter.host ?? null)}::text[], ${direct.map((meter) => meter.port ?? null)}::int[]) as g (sn, connection_type, protocol, host, port)
    ), made as (
      insert into endpoint (kind, sn, name, transformer_id, connection_type, protocol, host, port)
      select 'meter', m.sn, m.sn, m.transformer_id, g.connection_type, g.protocol, g.host, g.port from given g join meter m on m.sn = g.sn and m.dcu_id is null
      returning id, sn
    )
    update meter m set dcu_id = made.id from made where m.sn = made.sn`.execute(tx);
}

async function importMeters(
  tx: Tx,
  file: CommissioningFile,
  secrets: Secrets,
  ids: { types: Ids; transformers: Ids; dcus: Ids },
  now: Date,
): Promise<void> {
  const rows = file.meters.map(({ typeCode, transformerCode, dcuSn, phase, ek, ak, password, masterKey, systemTitle, ...entry }) => {
    const { connectionType: _c, protocol: _f, host: _h, port: _p, ...meter } = entry;
    const isInService = Boolean(dcuSn) || (meter.communicationMode === 'direct' && Boolean(transformerCode));
    return {
      ...meter,
      customerNo: meter.customerNo ?? null,
      customerName: meter.customerName ?? null,
      address: meter.address ?? null,
      longitude: meter.longitude ?? null,
      latitude: meter.latitude ?? null,
      recordedPhase: phase,
      meterTypeId: known(ids.types, typeCode, 'meter type'),
      transformerId: transformerCode ? known(ids.transformers, transformerCode, 'transformer') : null,
      dcuId: dcuSn ? known(ids.dcus, dcuSn, 'DCU') : null,
      inventoryState: isInService ? ('active' as const) : transformerCode ? ('installed' as const) : ('in_warehouse' as const),
      installedAt: isInService ? now : null,
      gatewayAddress: Buffer.from(meter.sn, 'ascii'),
      systemTitle: titleOf(systemTitle),
      ...keysOf(secrets, 'meter', { sn: meter.sn, ek, ak }),
      ...sealChange(secrets, 'meter', meter.sn, { ...(password ? { password } : {}), ...(masterKey ? { masterKey } : {}) }),
    };
  });
  for (let at = 0; at < rows.length; at += CHUNK) {
    await tx
      .insertInto('meter')
      .values(rows.slice(at, at + CHUNK))
      .onConflict((conflict) => conflict.column('sn').doNothing())
      .execute();
  }
  await importEndpoints(tx, file);
  // The archives of the delivered DCUs are assumed to contain their meters; the first comparison verifies this.
  await sql`
    insert into archive_record (dcu_id, meter_id, sn, idx, bind_state, dispatch_state, distribution_state)
    select m.dcu_id, m.id, m.sn, row_number() over (partition by m.dcu_id order by m.id), 'bound', 'distributed', 'distributed'
    from meter m where m.sn = any(${file.meters.map((meter) => meter.sn)}::text[]) and m.dcu_id is not null and m.communication_mode <> 'direct'
      and not exists (select from archive_record r where r.dcu_id = m.dcu_id)`.execute(tx);
  for (const { code, masterMeterSn } of file.transformers) {
    if (!masterMeterSn) continue;
    await sql`update transformer set master_meter_id = (select id from meter where sn = ${masterMeterSn}) where code = ${code} and master_meter_id is null`.execute(
      tx,
    );
  }
}

/** Imports a commissioning file in one transaction. Records with a known code or serial number are not changed. */
export async function importCommissioning(ctx: Pick<Context, 'db' | 'secrets' | 'clock'>, file: CommissioningFile): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const levels = await importLevels(tx, file);
    const { dcuTypes, meterTypes } = await importTypes(tx, file);
    const transformers = await importTransformers(tx, file, levels);
    const dcus = await importDcus(tx, file, ctx.secrets, dcuTypes, transformers);
    await importMeters(tx, file, ctx.secrets, { types: meterTypes, transformers, dcus }, new Date(ctx.clock.now()));
  });
}
