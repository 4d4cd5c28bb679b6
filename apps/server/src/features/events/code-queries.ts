import type { EventCode, MuteRow } from '@hes/contract/event/event.ts';
import type { EventLog } from '@hes/contract/states/event.ts';
import { sql } from 'kysely';
import { iso } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

const CODE_COLUMNS = ['log', 'code', 'nameEn', 'nameZh', 'abnormalLevel', 'direction', 'pairCode', 'enabled', 'version'] as const;

const asCode = (row: Omit<EventCode, 'log'> & { log: string }): EventCode => ({ ...row, log: row.log as EventLog }); // as: the table's check admits no other

export async function listCodes(db: Db): Promise<EventCode[]> {
  return (await db.selectFrom('eventCode').select(CODE_COLUMNS).orderBy('log').orderBy('code').execute()).map(asCode);
}

export async function findCode(db: Db, log: string, code: number): Promise<EventCode | undefined> {
  const row = await db
    .selectFrom('eventCode')
    .where('log', '=', log as EventLog)
    .where('code', '=', code)
    .select(CODE_COLUMNS)
    .executeTakeFirst(); // as: an unknown log has no row
  return row && asCode(row);
}

/** Stores a code if it still has the caller's version. Returns whether it did. */
export async function storeCode(tx: Tx, { log, code, version, ...rest }: EventCode): Promise<boolean> {
  if (version === 0) {
    const inserted = await tx
      .insertInto('eventCode')
      .values({ log, code, ...rest })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return inserted.numInsertedOrUpdatedRows === 1n;
  }
  const updated = await tx
    .updateTable('eventCode')
    .set({ ...rest, version: version + 1, updatedAt: sql<Date>`now()` })
    .where('log', '=', log)
    .where('code', '=', code)
    .where('version', '=', version)
    .executeTakeFirst();
  return updated.numUpdatedRows === 1n;
}

/** Applies a changed code to the events that are already stored. */
export async function applyCode(tx: Tx, { log, code, abnormalLevel, direction, enabled }: EventCode): Promise<void> {
  await tx
    .updateTable('event')
    .set({ abnormalLevel: enabled ? abnormalLevel : null, direction })
    .where('log', '=', log)
    .where('code', '=', code)
    .execute();
}

/** Mutes in force for devices in the user's area. */
export async function listMutes(db: Db, user: User): Promise<MuteRow[]> {
  const rows = await db
    .selectFrom('eventMute')
    .leftJoin('meter', (join) => join.onRef('meter.id', '=', 'eventMute.deviceId').on('eventMute.deviceKind', '=', 'meter'))
    .leftJoin('dcu', (join) => join.onRef('dcu.id', '=', 'eventMute.deviceId').on('eventMute.deviceKind', '=', 'dcu'))
    .leftJoin('transformer', (join) => join.on(sql<boolean>`transformer.id = coalesce(meter.transformer_id, dcu.transformer_id)`))
    .leftJoin('appUser', 'appUser.id', 'eventMute.mutedBy')
    .where(visible('transformer.id', user))
    .where(sql<boolean>`event_mute.until > now()`)
    .select([
      'eventMute.id',
      'eventMute.deviceKind',
      'eventMute.deviceId',
      sql<string>`coalesce(meter.sn, dcu.sn, '')`.as('deviceSn'),
      'eventMute.log',
      'eventMute.code',
      'eventMute.until',
      'eventMute.reason',
      'appUser.name as mutedByName',
    ])
    .orderBy('eventMute.until')
    .execute();
  return rows.map((row) => ({ ...row, log: row.log as EventLog, until: iso(row.until) })); // as: only values of the contract are written
}

interface MutedCode {
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  log: string;
  code: number;
}

/** Creates the mute of a device and code, or replaces its end, reason and user. Returns its id. */
export async function upsertMute(tx: Tx, mute: MutedCode & { until: Date; reason: string; mutedBy: string }): Promise<string> {
  const { until, reason, mutedBy } = mute;
  const stored = await tx
    .insertInto('eventMute')
    .values(mute)
    .onConflict((conflict) => conflict.columns(['deviceKind', 'deviceId', 'log', 'code']).doUpdateSet({ until, reason, mutedBy }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return stored.id;
}

export async function deleteMute(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('eventMute').where('id', '=', id).execute();
}

/** Marks the unacknowledged events of a device and code as muted, or as audible again. */
export async function setMuted(tx: Tx, { deviceKind, deviceId, log, code }: MutedCode, isMuted: boolean): Promise<void> {
  await tx
    .updateTable('event')
    .set({ isMuted })
    .where(deviceKind === 'meter' ? 'meterId' : 'dcuId', '=', deviceId)
    .where('deviceKind', '=', deviceKind)
    .where('log', '=', log)
    .where('code', '=', code)
    .where('ackAt', 'is', null)
    .execute();
}
