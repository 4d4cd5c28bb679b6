import { obis } from '@hes/dlms/cosem/obis.ts';
import type { Held } from '#behaviours/profile.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { textOf, type DcuArchive } from './dcu-archive.ts';
import type { DcuTasks } from './dcu-tasks.ts';

/** As its parameter says: object 51. */
export const CACHE_DEPTH_DAYS = 10;
const PER_METER_MS = { town: 2_000, fast: 5 } as const;
/** Of the meters of a reading, so many do not answer in time and have no row. */
const MISSED = 0.03;

export const METER_COLUMN = { classId: 1, instance: obis('0.0.96.128.32.255'), attributeId: 2, dataIndex: 0 };

/** What a DCU fills its caches from. */
export interface CacheSource extends Pick<FleetContext, 'world' | 'now' | 'channel'> {
  plan: DcuPlan;
  archive: DcuArchive;
  tasks: DcuTasks;
  /** What was read before is gone. */
  clearedAt(): number;
}

/** Meters of its archive that it has a key for, in the order in which it reads them. */
export const metersInReach = ({ world, plan, archive }: CacheSource): MeterPlan[] =>
  archive
    .entries()
    .filter((entry) => entry.enabled && entry.keySlot > 0)
    .flatMap((entry) => world.meterBySn.get(textOf(entry.serialNumber)) ?? [])
    .filter((meter) => meter.dcu === plan && !meter.isSilent);

/** When the meter at a place has its turn. */
export const readAtPlace = ({ channel }: Pick<CacheSource, 'channel'>, begunAt: number, place: number): number =>
  begunAt + place * PER_METER_MS[channel];

export const isMissed = (unit: number): boolean => unit < MISSED;

/** Rows by their moments, which rise. */
export function heldOf(moments: readonly number[]): Held {
  return {
    count: moments.length,
    at: (position) => moments[position] ?? 0,
    firstAt(moment) {
      let low = 0;
      let high = moments.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((moments[middle] ?? 0) < moment) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}
