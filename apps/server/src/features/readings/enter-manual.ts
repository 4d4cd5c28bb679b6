import type { ErrorCode } from '@hes/contract/core/errors.ts';
import type { ManualReading } from '@hes/contract/reading/reading.ts';
import { writeAudit } from '#db/audit.ts';
import { findMeter } from '#features/assets/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import { Partitions } from '#storage/partitions.ts';
import { findNeighbours, storeManual, type Neighbour } from './manual-queries.ts';
import { localDay } from './service.ts';

export interface ManualFault {
  code: ErrorCode & ('READING_KNOWN' | 'READING_LESS' | 'READING_MORE' | 'DAY_NOT_YET');
  field: 'date' | 'ePlus';
  params: Record<string, number>;
}

/** Faults of a manual reading compared with its neighbours. A register may run backwards after a rollover. */
export function faultsOf(
  { date, ePlus, rollover }: Pick<ManualReading, 'date' | 'ePlus' | 'rollover'>,
  { before, after, source }: Neighbour,
  today: string,
): ManualFault[] {
  const faults: ManualFault[] = [];
  if (date > today) faults.push({ code: 'DAY_NOT_YET', field: 'date', params: {} });
  if (source !== null && source !== 'manual' && source !== 'estimated') faults.push({ code: 'READING_KNOWN', field: 'date', params: {} });
  if (rollover) return faults;
  if (before !== null && ePlus < before) faults.push({ code: 'READING_LESS', field: 'ePlus', params: { before } });
  if (after !== null && ePlus > after) faults.push({ code: 'READING_MORE', field: 'ePlus', params: { after } });
  return faults;
}

/** Stores a manual reading with its user and reason. */
export async function enterManual(ctx: Context, { user, ip }: Who, reading: ManualReading): Promise<void> {
  const { meterId, date, reason, rollover, ...kwh } = reading;
  const now = ctx.clock.now();
  const meter = await findMeter(ctx.db, user, meterId);
  if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id: meterId });
  const { ePlus, eMinus, ePlusT1, ePlusT2, ePlusT3, ePlusT4, eMinusT1, eMinusT2, eMinusT3, eMinusT4 } = kwh;
  const registers = [ePlus, eMinus, ePlusT1, ePlusT2, ePlusT3, ePlusT4, eMinusT1, eMinusT2, eMinusT3, eMinusT4];
  const line = { sn: meter.sn, date, registers, meterId };
  const around = await findNeighbours(ctx.db, user, [line]);
  const neighbour = around.get(`${meter.sn}/${date}`);
  const [fault] = neighbour === undefined ? [] : faultsOf(reading, neighbour, localDay(now, ctx.settings.timeZone));
  if (fault !== undefined) throw new ApiError(fault.code, fault.params, fault.field);
  await new Partitions(ctx.pool).ensure('reading_daily', new Set([dayNumberOf(date)]));
  await ctx.db.transaction().execute(async (tx) => {
    await storeManual(tx, [line], ctx.settings.timeZone);
    const detail = { sn: meter.sn, date, reason, rollover, ...kwh };
    await writeAudit(tx, { userId: user.id, action: 'reading_entered', entity: 'reading', entityId: meterId, detail, ip }, now);
  });
}
