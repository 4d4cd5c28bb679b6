import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { ByteWriter } from '@hes/dlms/codec/byte-writer.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { Profile } from '#behaviours/profile.ts';
import { createClockWriter, writeNumber, writeOctets, writeRowHead } from '#behaviours/row-writer.ts';
import { firstDayOf, monthOf } from '#world/calendar.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import { streamOf, unitAt } from '#world/random.ts';
import type { FleetContext } from './context.ts';
import { ascii, type DcuArchive } from './dcu-archive.ts';
import { CACHE_DEPTH_DAYS, heldOf, isMissed, METER_COLUMN, metersInReach, readAtPlace, type CacheSource } from './dcu-cache-source.ts';
import { INTERVAL_CACHES, intervalCache } from './dcu-interval-cache.ts';
import type { DcuTasks } from './dcu-tasks.ts';
import { captureOf, DAILY_KEYS, TARIFFS } from './meter-profiles.ts';

/** Month ends that a task has read are kept regardless of the cache depth. */
const KEPT_MONTH_ENDS = 2;
/** Equals its DCU parameter, object 50. */
const COLLECTS_AFTER_MS = 30 * 60_000;
const COLUMNS = [CLOCK_COLUMN, METER_COLUMN, captureOf('STATUS'), ...DAILY_KEYS.flat().map((key: WellKnownKey) => captureOf(key))];
const DIRECTIONS = ['plus', 'minus'] as const;

export const CACHED_DAILY = DCU_OBJECTS.CACHED_DAILY;

/** Every second DCU of the fleet has keys of its meters; the others collect nothing. */
export const hasMeterKeys = (plan: DcuPlan): boolean => plan.index % 2 === 0 && !plan.isUnregistered;

const isMonthEnd = (day: number): boolean => day === firstDayOf(monthOf(day));

interface Row {
  meter: MeterPlan;
  day: number;
}

/** Freezes and profiles that a DCU has collected from the meters of its archive for which it has keys. */
export interface DcuCache {
  /** By logical name. */
  profiles: ReadonlyMap<Obis, Profile>;
  /** Discards all rows collected before now. */
  clear(): void;
}

export function createDcuCache(
  { world, now, channel }: Pick<FleetContext, 'world' | 'now' | 'channel'>,
  plan: DcuPlan,
  { archive, tasks }: { archive: DcuArchive; tasks: DcuTasks },
): DcuCache {
  let clearedAt = 0;
  const source: CacheSource = { world, now, channel, plan, archive, tasks, clearedAt: () => clearedAt };
  return {
    clear: () => void (clearedAt = now()),
    profiles: new Map([
      [CACHED_DAILY, dailyCache(source)],
      ...INTERVAL_CACHES.map((cache) => [cache.instance, intervalCache(cache, source)] as const),
    ]),
  };
}

function dailyCache(source: CacheSource): Profile {
  const { world, now, archive, tasks } = source;
  const local = world.localTime;
  let rows: Row[] = [];

  /** Collections that included a freeze: the daily one, then every task with sufficient depth. */
  const triesOf = (day: number): number[] => [
    local.startOf(day) + COLLECTS_AFTER_MS,
    ...tasks
      .readingsOf(WELL_KNOWN.DAILY.instance)
      .filter(({ at, depth }) => day <= local.dayOf(at) && day > local.dayOf(at) - depth)
      .map(({ at }) => at),
    ...monthTriesOf(day),
  ];

  /** The month end is the freeze of the midnight that ends the month. */
  const monthTriesOf = (day: number): number[] =>
    tasks
      .readingsOf(WELL_KNOWN.MONTHLY.instance)
      .filter(({ at, depth }) => isMonthEnd(day) && day <= local.dayOf(at) && monthOf(day) > monthOf(local.dayOf(at)) - depth)
      .map(({ at }) => at);

  const wasRead = (meter: MeterPlan, tries: readonly number[], { day, place }: { day: number; place: number }): boolean =>
    day > meter.installedDay &&
    tries.some((begun, nth) => {
      const readAt = readAtPlace(source, begun, place);
      const isHeard = !isMissed(unitAt(streamOf(world.plan.seed, `cache/${meter.sn}`), day, nth));
      return readAt <= now() && readAt > source.clearedAt() && world.isUp(meter, readAt) && isHeard;
    });

  function collect(): Row[] {
    const today = local.dayOf(now());
    const meters = metersInReach(source);
    const first = today - CACHE_DEPTH_DAYS + 1;
    const days = Array.from({ length: CACHE_DEPTH_DAYS }, (_, i) => ({ day: first + i, tries: triesOf(first + i) }));
    const ends = Array.from({ length: KEPT_MONTH_ENDS }, (_, i) => firstDayOf(monthOf(today) - KEPT_MONTH_ENDS + 1 + i))
      .filter((day) => day < first)
      .map((day) => ({ day, tries: monthTriesOf(day) }));
    return [...ends, ...days].flatMap(({ day, tries }) =>
      meters.filter((meter, place) => wasRead(meter, tries, { day, place })).map((meter) => ({ meter, day })),
    );
  }

  function writeValue(out: ByteWriter, { meter, day }: Row, column: number): void {
    if (column === 1) return writeOctets(out, ascii(meter.sn));
    if (column === 2) return writeNumber(out, 'u16', 0);
    const register = column - 3;
    const direction = DIRECTIONS[Math.floor(register / TARIFFS.length)] ?? 'plus';
    const tariff = TARIFFS[register % TARIFFS.length] ?? 0;
    writeNumber(out, 'u64', world.register(meter, local.startOf(day), direction, tariff));
  }

  return {
    columns: COLUMNS,
    capturePeriodSeconds: 0,
    capacity: archive.capacity * (CACHE_DEPTH_DAYS + KEPT_MONTH_ENDS),
    held() {
      rows = collect();
      return heldOf(rows.map((row) => local.startOf(row.day)));
    },
    writeRows(out, _held, from, to, chosen) {
      const writeClock = createClockWriter(local);
      for (const row of rows.slice(from, to)) {
        writeRowHead(out, chosen.length);
        for (const column of chosen) {
          if (column === 0) writeClock(out, local.startOf(row.day));
          else writeValue(out, row, column);
        }
      }
    },
  };
}
