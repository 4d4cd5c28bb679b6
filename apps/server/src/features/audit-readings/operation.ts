import { createHash } from 'node:crypto';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { ItemResult, AuditResult } from '@hes/contract/orders/results.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { findStored, type Anchor } from '#field/anchor-queries.ts';
import { findDifferences, rowOfAnchor, type ReadRows } from '#field/profiles/doubts.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { instanceOf, partsOf } from '#field/profiles/profiles.ts';
import { rowsIn } from '#field/profiles/former-scale.ts';
import { readProfile } from '#field/profiles/read-profile.ts';
import { withMeter, type MeterWork } from '#field/operations/with-meter.ts';

const PROFILES: readonly CountedProfile[] = ['daily', 'energy', 'lpa', 'lpb'];
/** A sample draws one of this many days before today. */
const SAMPLE_DAYS = 14;
/** The task item stores at most this many differences; all are counted. */
const MOST_DIFFERENCES = 200;

interface Span {
  from: number;
  to: number;
}

/** The ordered days or, for a sample, the day that the seed draws for this meter. */
function spanOf({ zone, ctx }: OperationTools, { params, meterId }: WorkItem<'audit_readings'>): Span {
  const { from, to, seed } = params;
  const now = ctx.clock.now();
  if (from !== undefined && to !== undefined)
    return { from: zone.startOf(dayNumberOf(from)), to: Math.min(now, zone.startOf(dayNumberOf(to) + 1) - 1000) };
  const drawn =
    createHash('sha256')
      .update(`${String(seed)}/${meterId}`)
      .digest()
      .readUInt32BE(0) % SAMPLE_DAYS;
  const day = zone.dayOf(now) - 1 - drawn;
  return { from: zone.startOf(day), to: zone.startOf(day + 1) - 1000 };
}

/** Compares stored readings of a meter with its profile buffers. Does not change any reading. */
const auditReadings = (tools: OperationTools, item: WorkItem<'audit_readings'>): Promise<WorkReport> =>
  withMeter(tools, item, (meter) => auditMeter(tools, meter, spanOf(tools, item)));

async function auditMeter(tools: OperationTools, meter: MeterWork, span: Span): Promise<Outcome<ItemResult>> {
  const result: AuditResult = { rows: 0, values: 0, absent: 0, different: 0, differences: [] };
  for (const profile of PROFILES) {
    for (const part of partsOf(profile, span.from, span.to)) {
      const query = { meterId: meter.device.id, profile, ...part };
      const stored = await findStored(tools.ctx.pool, query, tools.zone.timeZone);
      if (stored.length === 0) continue;
      const read = await readProfile(tools, meter, {
        ...query,
        instance: instanceOf(profile, meter.device.objectMap),
        deviationMinutes: tools.zone.deviationMinutes(part.from),
        now: meter.now,
      });
      if (!read.ok) return read;
      compareProfile(result, { profile, stored, rows: rowsIn(query, meter.device, read.value) });
    }
  }
  return result.rows + result.absent === 0 ? failed('NO_DATA', 'Nothing is stored of these days') : ok({ audit: result });
}

function compareProfile(
  result: AuditResult,
  { profile, stored, rows }: { profile: CountedProfile; stored: readonly Anchor[]; rows: ReadRows },
): void {
  const columns = isFreeze(profile) ? DAILY_REGISTERS : CHANNELS;
  for (const anchor of stored) {
    const row = rowOfAnchor(rows, anchor);
    if (row < 0) {
      result.absent++;
      continue;
    }
    result.rows++;
    result.values += anchor.values.filter((value, index) => value !== null && rows.values[index] !== undefined).length;
    for (const { index, before, after } of findDifferences(rows, row, anchor)) {
      result.different++;
      if (result.differences.length >= MOST_DIFFERENCES) continue;
      const ts = new Date(anchor.at).toISOString();
      result.differences.push({ profile, ts, column: columns[index]?.column ?? '', stored: before, meter: after });
    }
  }
}

export const auditReadingsOperations = (tools: OperationTools): Pick<Operations, 'audit_readings'> => ({
  audit_readings: (item) => auditReadings(tools, item),
});
