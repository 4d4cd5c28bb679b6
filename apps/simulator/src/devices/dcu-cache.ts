import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { ByteWriter } from '@hes/dlms/codec/byte-writer.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { Held, Profile } from '#behaviours/profile.ts';
import { createClockWriter, writeNumber, writeOctets, writeRowHead } from '#behaviours/row-writer.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import { streamOf, unitAt } from '#world/random.ts';
import type { FleetContext } from './context.ts';
import { ascii, textOf, type DcuArchive } from './dcu-archive.ts';
import type { DcuTasks, TaskReading } from './dcu-tasks.ts';
import { captureOf, DAILY_KEYS, TARIFFS } from './meter-profiles.ts';

/** As its parameters say: objects 50 and 51. */
const COLLECTS_AFTER_MS = 30 * 60_000;
const DEPTH_DAYS = 10;
const PER_METER_MS = { town: 2_000, fast: 5 } as const;
/** Of the meters of a night, so many do not answer in time and have no row. */
const MISSED = 0.03;

const METER = { classId: 1, instance: obis('0.0.96.128.32.255'), attributeId: 2, dataIndex: 0 };
const COLUMNS = [CLOCK_COLUMN, METER, captureOf('STATUS'), ...DAILY_KEYS.flat().map((key: WellKnownKey) => captureOf(key))];
const DIRECTIONS = ['plus', 'minus'] as const;

export const CACHED_DAILY = obis('0.0.98.128.1.255');

/** Every second DCU of the town was given keys of its own for its meters: the others read nothing by themselves. */
export const hasMeterKeys = (plan: DcuPlan): boolean => plan.index % 2 === 0 && !plan.isStranger;

interface Row {
  meter: MeterPlan;
  day: number;
}

/** What a DCU has read by itself: the freezes of those meters of its archive that it has a key for. */
export interface DcuCache {
  profile: Profile;
  /** As if nothing had been collected before now. */
  clear(): void;
}

export function createDcuCache(
  { world, now, channel }: Pick<FleetContext, 'world' | 'now' | 'channel'>,
  plan: DcuPlan,
  { archive, tasks }: { archive: DcuArchive; tasks: DcuTasks },
): DcuCache {
  const local = world.localTime;
  let clearedAt = 0;
  let rows: Row[] = [];

  /** When a freeze was read, one try after the other: by the daily collection, then by every task that went back so far. */
  const triesOf = (day: number, readings: readonly TaskReading[]): number[] => [
    local.startOf(day) + COLLECTS_AFTER_MS,
    ...readings.filter(({ at, depth }) => day <= local.dayOf(at) && day > local.dayOf(at) - depth).map(({ at }) => at),
  ];

  const wasRead = (meter: MeterPlan, tries: readonly number[], { day, place }: { day: number; place: number }): boolean =>
    day > meter.installedDay &&
    tries.some((begun, nth) => {
      const readAt = begun + place * PER_METER_MS[channel];
      const isHeard = unitAt(streamOf(world.plan.seed, `cache/${meter.sn}`), day, nth) >= MISSED;
      return readAt <= now() && readAt > clearedAt && world.isUp(meter, readAt) && isHeard;
    });

  function collect(): Row[] {
    const today = local.dayOf(now());
    const meters = archive
      .entries()
      .filter((entry) => entry.enabled && entry.keySlot > 0)
      .flatMap((entry) => world.meterBySn.get(textOf(entry.serialNumber)) ?? [])
      .filter((meter) => meter.dcu === plan && !meter.isSilent);
    const days = Array.from({ length: DEPTH_DAYS }, (_, i) => today - DEPTH_DAYS + 1 + i);
    const readings = tasks.readingsOf(WELL_KNOWN.DAILY.instance);
    return days.flatMap((day) => {
      const tries = triesOf(day, readings);
      return meters.filter((meter, place) => wasRead(meter, tries, { day, place })).map((meter) => ({ meter, day }));
    });
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
    clear: () => void (clearedAt = now()),
    profile: {
      columns: COLUMNS,
      capturePeriodSeconds: 0,
      capacity: archive.capacity * DEPTH_DAYS,
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
    },
  };
}

function heldOf(moments: readonly number[]): Held {
  return {
    count: moments.length,
    at: (position) => moments[position] ?? 0,
    firstAt(moment) {
      const found = moments.findIndex((at) => at >= moment);
      return found < 0 ? moments.length : found;
    },
  };
}
