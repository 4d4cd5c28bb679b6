import { encode } from '../codec/codec.ts';
import type { CaptureObject } from '../cosem/capture-object.ts';
import { dateTimeCodec, fromEpochMs } from '../cosem/date-time.ts';
import { obis } from '../cosem/obis.ts';
import { CLOCK_COLUMN } from '../cosem/selective-access.ts';
import { Profile, profileObject } from '../server/profile.ts';
import type { DescribedObject } from '../server/server-object.ts';
import { doubleLongUnsigned, octets, unsigned } from './plain-object.ts';

const PERIOD_SECONDS = 900;
const DAY_ROWS = 96;

const COLUMNS: readonly CaptureObject[] = [
  CLOCK_COLUMN,
  { classId: 1, instance: obis('0.0.96.10.1.255'), attributeId: 2, dataIndex: 0 },
  { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 },
];

/** Energy in Wh at a time: it rises by one watt-hour per second. */
export const energyAt = (epochMs: number): number => Math.floor(epochMs / 1000) % 100_000_000;

/** Quarter-hourly energy of `days` days before `start`; clients can neither capture nor reset it. */
export function demoProfile(start: number, days: number): DescribedObject {
  const periodMs = PERIOD_SECONDS * 1000;
  const last = Math.floor(start / periodMs) * periodMs;
  const capacity = days * DAY_ROWS;
  const profile = new Profile({
    columns: COLUMNS,
    capturePeriodSeconds: PERIOD_SECONDS,
    capacity,
    deviationMinutes: 0,
    valueOf: () => ({ type: 'null' }),
  });
  for (let epochMs = last - (capacity - 1) * periodMs; epochMs <= last; epochMs += periodMs)
    profile.add([octets(encode(dateTimeCodec, fromEpochMs(epochMs, 0))), unsigned(0), doubleLongUnsigned(energyAt(epochMs))]);
  return profileObject(profile, { instance: obis('1.0.99.1.0.255'), allows: (kind) => kind === 'read' });
}
