import { judgeArchive } from '@hes/contract/asset/archive-diff.ts';
import type { AirEntry, ArchiveEntry, ArchiveRow } from '@hes/contract/asset/archive.ts';
import type { BindState, DeleteStatus, DispatchState, DistributionState } from '@hes/contract/states/archive.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { signalOf, signalUnitOf, type SignalLimits, type SignalStrength } from '@hes/contract/states/signal.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { dcuHas } from '#db/dcu-parts.ts';
import { isoOrNull } from '#db/paging.ts';

export interface SignalSetting {
  plcSnrDb: SignalLimits;
  rfRssiDbm: SignalLimits;
}

/** Limits of the signal classes from the settings. */
export async function findSignalLimits(db: Db | Tx): Promise<SignalSetting> {
  const row = await db.selectFrom('setting').where('key', '=', 'signal').select('value').executeTakeFirst();
  return { ...SETTINGS.signal.value, ...(row?.value as Partial<SignalSetting> | undefined) } as SignalSetting; // as: the setting's own rule guards it when it is saved
}

export const signalClass = (limits: SignalSetting, mode: string, value: number | null) =>
  signalOf(value, mode === 'rf' ? limits.rfRssiDbm : limits.plcSnrDb);

/** Signal classes as a condition on the measured value: filtering in SQL keeps pages full. */
export function signalWithin(value: RawBuilder<unknown>, classes: readonly SignalStrength[], limits: SignalLimits): RawBuilder<boolean> {
  const order = ['outstanding', 'excellent', 'good', 'poor'] as const;
  const bounds = classes.map((name) => {
    if (name === 'no_signal') return sql`${value} is null`;
    const index = order.findIndex((one) => one === name);
    if (index < 0) return sql`${value} < ${limits[3]}`;
    const above = index === 0 ? sql`true` : sql`${value} < ${limits[index - 1] ?? 0}`;
    return sql`(${value} >= ${limits[index] ?? 0} and ${above})`;
  });
  return sql<boolean>`(${sql.join(bounds, sql` or `)})`;
}

interface HesColumns {
  sn: string;
  idx: number | null;
  bindState: BindState;
  gatewayAddress: string | null;
  communicationMode: 'plc' | 'rf' | null;
  meterTypeCode: string | null;
  recordedPhase: ArchiveEntry['phase'] | null;
  isMaster: boolean | null;
}

/** The HES side of a record; null where the meter is not bound. */
export function hesEntryOf(row: HesColumns): ArchiveEntry | null {
  if (row.bindState !== 'bound' || row.idx === null) return null;
  return {
    measurementPoint: row.idx,
    // The gateway address defaults to the serial number and is then left empty.
    address: row.gatewayAddress === null || row.gatewayAddress === row.sn ? '' : row.gatewayAddress,
    protocol: 'dlms',
    communicationMode: row.communicationMode ?? 'plc',
    meterType: row.meterTypeCode ?? '',
    phase: row.recordedPhase ?? 'unknown',
    isMaster: row.isMaster ?? false,
    enabled: true,
  };
}

const HES_COLUMNS = sql`m.communication_mode as "communicationMode", mt.code as "meterTypeCode", m.recorded_phase as "recordedPhase",
  m.is_master as "isMaster", convert_from(m.gateway_address, 'LATIN1') as "gatewayAddress"`;

export interface RecordStanding extends HesColumns {
  id: string;
  meterId: string | null;
  dispatchState: DispatchState;
  distributionState: DistributionState | null;
  deleteStatus: DeleteStatus;
  dcuEntry: ArchiveEntry | null;
  isBoundElsewhere: boolean;
  /** Whether the DCU has an archive. Without one, that of the head-end is the only one and counts as distributed. */
  isKeptInDcu: boolean;
}

/** Records of a DCU with the columns that their judgement needs: all of them, or those of some serial numbers. */
export async function findStandings(db: Db | Tx, dcuId: string, sns?: readonly string[]): Promise<RecordStanding[]> {
  const which = sns === undefined ? sql`true` : sql`r.sn = any(${[...sns]}::text[])`;
  const found = await sql<RecordStanding>`
    select r.id, r.sn, r.idx, r.meter_id as "meterId", r.bind_state as "bindState", r.dispatch_state as "dispatchState",
      r.distribution_state as "distributionState", r.delete_status as "deleteStatus", r.dcu_entry as "dcuEntry", ${HES_COLUMNS},
      exists (select from archive_record o where o.meter_id = r.meter_id and o.dcu_id <> r.dcu_id and o.bind_state = 'bound') as "isBoundElsewhere",
      ${dcuHas('archive', sql.ref('r.dcu_id'))} as "isKeptInDcu"
    from archive_record r left join meter m on m.id = r.meter_id left join meter_type mt on mt.id = m.meter_type_id
    where r.dcu_id = ${dcuId} and ${which} order by r.id`.execute(db);
  return found.rows;
}

/** Result of the last order for a record. */
export interface RecordResult {
  result: 'ok' | 'refused' | 'unknown';
  reasonCode: string | null;
}

/**
 * Stores the entries that the DCU reports for these serial numbers (null: it has none) and judges their records. Entries without a
 * record get one. The caller holds the archive lock.
 */
export async function settleEntries(
  tx: Tx,
  dcuId: string,
  found: ReadonlyMap<string, ArchiveEntry | null>,
  options: { at: Date; results?: ReadonlyMap<string, RecordResult>; by?: string | null },
): Promise<void> {
  const { at, results, by } = options;
  const sns = [...found.keys()];
  if (sns.length === 0) return;
  await sql`
    insert into archive_record (dcu_id, meter_id, sn)
    select ${dcuId}, m.id, n.sn from unnest(${sns.filter((sn) => found.get(sn) !== null)}::text[]) as n (sn) left join meter m on m.sn = n.sn
    on conflict (dcu_id, sn) do update set meter_id = coalesce(archive_record.meter_id, excluded.meter_id) where archive_record.meter_id is null and excluded.meter_id is not null`.execute(
    tx,
  );
  const judged = (await findStandings(tx, dcuId, sns)).map((row) => {
    const dcu = found.get(row.sn) ?? null;
    const result = results?.get(row.sn);
    const judgement = judgeArchive({
      bindState: row.bindState,
      hes: hesEntryOf(row),
      dcu,
      isBoundElsewhere: row.isBoundElsewhere,
      before: row,
    });
    // After a refused removal the entry is still in the DCU.
    const deleteStatus =
      result?.result === 'refused' && judgement.deleteStatus === 'pending_delete' ? 'delete_failed' : judgement.deleteStatus;
    return { ...judgement, id: row.id, dcu, deleteStatus, result: result ?? null, diffFields: judgement.diffFields.join(',') };
  });
  await sql`
    update archive_record r set dispatch_state = n.dispatch_state, distribution_state = n.distribution_state, delete_status = n.delete_status,
      diff_kind = n.diff_kind, diff_fields = case when n.diff_fields = '' then '{}' else string_to_array(n.diff_fields, ',') end,
      dcu_entry = n.dcu_entry::jsonb, last_verify_at = ${at}, updated_at = ${at},
      last_result = coalesce(n.result, case when r.last_result = 'unknown' then null else r.last_result end),
      last_reason_code = case when n.result is not null or r.last_result = 'unknown' then n.reason_code else r.last_reason_code end,
      last_dispatch_at = case when n.result is null then r.last_dispatch_at else ${at} end,
      last_dispatch_by = case when n.result is null then r.last_dispatch_by else ${by ?? null}::bigint end
    from unnest(${judged.map((row) => row.id)}::bigint[], ${judged.map((row) => row.dispatchState)}::text[], ${judged.map((row) => row.distributionState)}::text[],
      ${judged.map((row) => row.deleteStatus)}::text[], ${judged.map((row) => row.diffKind)}::text[], ${judged.map((row) => row.diffFields)}::text[],
      ${judged.map((row) => (row.dcu === null ? null : JSON.stringify(row.dcu)))}::text[], ${judged.map((row) => row.result?.result ?? null)}::text[],
      ${judged.map((row) => row.result?.reasonCode ?? null)}::text[])
      as n (id, dispatch_state, distribution_state, delete_status, diff_kind, diff_fields, dcu_entry, result, reason_code)
    where r.id = n.id`.execute(tx);
}

/** Judges all records of a DCU again, after its type changed. The caller holds the archive lock. */
export const rejudgeDcu = async (tx: Tx, dcuId: string): Promise<void> =>
  rejudgeRecords(
    tx,
    dcuId,
    (await findStandings(tx, dcuId)).map(({ sn }) => sn),
  );

/** Judges records by the last reading of the DCU again, after a change on the HES side. The caller holds the archive lock. */
export async function rejudgeRecords(tx: Tx, dcuId: string, sns: readonly string[]): Promise<void> {
  for (const row of await findStandings(tx, dcuId, sns)) {
    const hes = hesEntryOf(row);
    const judged = judgeArchive({
      bindState: row.bindState,
      hes,
      dcu: row.isKeptInDcu ? row.dcuEntry : hes,
      isBoundElsewhere: row.isBoundElsewhere,
      before: row,
    });
    await tx
      .updateTable('archiveRecord')
      .set({ ...judged, updatedAt: sql`now()` })
      .where('id', '=', row.id)
      .execute();
  }
}

/** Rows `x` of HES, DCU and discovery, joined with `dcu`. Conditions and order of lists refer to these names. */
export const ARCHIVE_SOURCE = sql`(
    select r.id, r.dcu_id, r.meter_id, r.sn, r.idx, r.bind_state, r.dispatch_state, r.distribution_state, r.delete_status, r.diff_kind, r.diff_fields, r.dcu_entry,
      r.last_dispatch_at, r.last_dispatch_by, r.last_verify_at, r.last_result, r.last_reason_code
    from archive_record r
    union all
    select null, h.dcu_id, null, h.sn, null, 'not_bound', 'not_distributed', null, 'none', 'air_only', '{}', null, null, null, null, null, null
    from discovered_meter h where not exists (select from archive_record r where r.dcu_id = h.dcu_id and r.sn = h.sn)
  ) as x join dcu on dcu.id = x.dcu_id`;

interface SelectedRow extends HesColumns {
  id: string | null;
  dcuId: string;
  dcuSn: string;
  meterId: string | null;
  meterTypeName: string | null;
  customerNo: string | null;
  dispatchState: DispatchState;
  distributionState: DistributionState | null;
  deleteStatus: DeleteStatus;
  diffKind: ArchiveRow['diffKind'];
  diffFields: string[];
  dcuEntry: ArchiveEntry | null;
  otherDcuSn: string | null;
  lastDispatchAt: Date | null;
  lastDispatchBy: string | null;
  lastVerifyAt: Date | null;
  lastResult: ArchiveRow['lastResult'];
  lastReasonCode: string | null;
  airMode: AirEntry['communicationMode'] | null;
  airPhase: AirEntry['phase'] | null;
  airHops: number | null;
  airSignal: number | null;
  airLastSeen: Date | null;
}

/** Archive rows for the console. `where` and `tail` refer to `x` and `dcu`. */
export async function selectArchiveRows(db: Db | Tx, where: RawBuilder<unknown>, tail: RawBuilder<unknown>): Promise<ArchiveRow[]> {
  const [limits, found] = await Promise.all([
    findSignalLimits(db),
    sql<SelectedRow>`
      select x.id, x.dcu_id as "dcuId", dcu.sn as "dcuSn", m.id as "meterId", x.sn, x.idx, mt.name as "meterTypeName", m.customer_no as "customerNo",
        x.bind_state as "bindState", x.dispatch_state as "dispatchState", x.distribution_state as "distributionState", x.delete_status as "deleteStatus",
        x.diff_kind as "diffKind", x.diff_fields as "diffFields", x.dcu_entry as "dcuEntry", ${HES_COLUMNS},
        (select d.sn from archive_record o join dcu d on d.id = o.dcu_id where o.meter_id = m.id and o.bind_state = 'bound' and o.dcu_id <> x.dcu_id) as "otherDcuSn",
        x.last_dispatch_at as "lastDispatchAt", u.name as "lastDispatchBy", x.last_verify_at as "lastVerifyAt", x.last_result as "lastResult",
        x.last_reason_code as "lastReasonCode", h.comm_mode as "airMode", h.phase as "airPhase", h.hops as "airHops", h.signal_value as "airSignal",
        h.last_seen as "airLastSeen"
      from ${ARCHIVE_SOURCE}
      left join meter m on m.id = coalesce(x.meter_id, (select known.id from meter known where known.sn = x.sn))
      left join meter_type mt on mt.id = m.meter_type_id
      left join app_user u on u.id = x.last_dispatch_by
      left join discovered_meter h on h.dcu_id = x.dcu_id and h.sn = x.sn
      where ${where} ${tail}`.execute(db),
  ]);
  return found.rows.map((row) => rowOf(row, limits));
}

function rowOf(row: SelectedRow, limits: SignalSetting): ArchiveRow {
  const {
    gatewayAddress,
    communicationMode,
    meterTypeCode,
    recordedPhase,
    isMaster,
    idx,
    dcuEntry,
    airMode,
    airPhase,
    airHops,
    airSignal,
    airLastSeen,
    ...rest
  } = row;
  const air =
    airMode === null || airPhase === null || airHops === null || airLastSeen === null
      ? null
      : {
          communicationMode: airMode,
          phase: airPhase,
          hops: airHops,
          signalValue: airSignal,
          signalUnit: signalUnitOf(airMode),
          signal: signalClass(limits, airMode, airSignal),
          lastSeen: airLastSeen.toISOString(),
        };
  return {
    ...rest,
    hes: hesEntryOf({
      gatewayAddress,
      communicationMode,
      meterTypeCode,
      recordedPhase,
      isMaster,
      idx,
      sn: row.sn,
      bindState: row.bindState,
    }),
    dcu: dcuEntry,
    air,
    lastDispatchAt: isoOrNull(row.lastDispatchAt),
    lastVerifyAt: isoOrNull(row.lastVerifyAt),
  };
}

/** Rows of one DCU by serial number, for live updates. */
export const findArchiveRowsBySn = (db: Db | Tx, dcuId: string, sns: readonly string[]): Promise<ArchiveRow[]> =>
  selectArchiveRows(db, sql`x.dcu_id = ${dcuId} and x.sn = any(${[...sns]}::text[])`, sql`order by x.sn`);

export const deleteRecordsOfMeter = (tx: Tx, meterId: string) => tx.deleteFrom('archiveRecord').where('meterId', '=', meterId).execute();

export const deleteRecordsOfDcu = (tx: Tx, dcuId: string) => tx.deleteFrom('archiveRecord').where('dcuId', '=', dcuId).execute();
