import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import type { Held } from '#behaviours/profile.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { textOf, type DcuArchive } from './dcu-archive.ts';
import type { DcuTasks } from './dcu-tasks.ts';

/** Equals its DCU parameter, object 51. */
export const CACHE_DEPTH_DAYS = 10;
const PER_METER_MS = { realistic: 2_000, fast: 5 } as const;
/** Share of the meters that do not respond in time to a collection and have no row. */
const MISSED = 0.03;

export const METER_COLUMN = { classId: 1, instance: DCU_OBJECTS.CACHED_METER, attributeId: 2, dataIndex: 0 };

/** Data source of the caches of a DCU. */
export interface CacheSource extends Pick<FleetContext, 'world' | 'now' | 'channel'> {
  plan: DcuPlan;
  archive: DcuArchive;
  tasks: DcuTasks;
  /** Moment at which the cache was last cleared. */
  clearedAt(): number;
}

/** Meters of its archive for which the DCU has keys, in the order of collection. */
export const metersInReach = ({ world, plan, archive }: CacheSource): MeterPlan[] =>
  archive
    .entries()
    .filter((entry) => entry.enabled && entry.keySlot > 0)
    .flatMap((entry) => world.meterBySn.get(textOf(entry.serialNumber)) ?? [])
    .filter((meter) => meter.dcu === plan && !meter.isSilent);

/** Moment at which the meter at a position is read within a collection. */
export const readAtPlace = ({ channel }: Pick<CacheSource, 'channel'>, begunAt: number, place: number): number =>
  begunAt + place * PER_METER_MS[channel];

export const isMissed = (unit: number): boolean => unit < MISSED;

/** Row positions by capture moment; `moments` must be in ascending order. */
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
