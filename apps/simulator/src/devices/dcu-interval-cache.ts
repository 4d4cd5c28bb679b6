import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { ByteWriter } from '@hes/dlms/codec/byte-writer.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import type { IntervalSpec } from '#behaviours/interval-profile.ts';
import type { Profile } from '#behaviours/profile.ts';
import { createClockWriter, writeNull, writeNumber, writeOctets, writeRowHead } from '#behaviours/row-writer.ts';
import { DAY_MS, dayStart, localDay, SLOT_MS } from '#world/calendar.ts';
import { hourLeadMs } from '#world/local-time.ts';
import type { MeterPlan } from '#world/plan.ts';
import { streamOf, unitAt } from '#world/random.ts';
import { CACHE_DEPTH_DAYS, heldOf, isMissed, METER_COLUMN, metersInReach, readAtPlace, type CacheSource } from './dcu-cache-source.ts';
import { ascii } from './dcu-archive.ts';
import { captureOf, ENERGY, LAST_AVERAGE, LPA, LPB, type Measured } from './meter-profiles.ts';

const MINUTE_MS = 60_000;
const PERIOD = { classId: 1, instance: DCU_OBJECTS.CACHED_PERIOD, attributeId: 2, dataIndex: 0 };
/** Clock, meter, period. */
const OWN_COLUMNS = 3;

/** A quantity of a cached row; `factor` converts the meter's captures to the unit of the cache. */
interface CachedColumn {
  object: CaptureObject;
  factor: number;
}

interface IntervalCacheSpec {
  instance: Obis;
  /** Profile that a task must name to fill this cache. */
  source: Obis;
  spec: IntervalSpec<Measured>;
  columns: readonly CachedColumn[];
}

const columns = (keys: readonly WellKnownKey[], factor = 1, attributeId?: number): CachedColumn[] =>
  keys.map((key) => ({ object: captureOf(key, attributeId), factor }));
const STATUS = columns(['STATUS']);
const ENERGIES = columns(['E_PLUS', 'E_MINUS']);

/** Cached interval profiles in the units of `docs/dcu-profile.md`: W, VA, Wh, mV, mA. */
export const INTERVAL_CACHES: readonly IntervalCacheSpec[] = [
  {
    instance: DCU_OBJECTS.CACHED_LPA,
    source: WELL_KNOWN.LPA.instance,
    spec: LPA,
    columns: [...STATUS, ...ENERGIES, ...columns(['P_AVG_PLUS', 'P_AVG_MINUS', 'S_AVG_PLUS', 'S_AVG_MINUS'], 1, LAST_AVERAGE)],
  },
  {
    instance: DCU_OBJECTS.CACHED_LPB,
    source: WELL_KNOWN.LPB.instance,
    spec: LPB,
    columns: [
      ...STATUS,
      ...columns(['U1', 'U2', 'U3'], 100),
      ...columns(['I1', 'I2', 'I3', 'I0'], 10),
      ...columns(['PF', 'PF1', 'PF2', 'PF3']),
    ],
  },
  { instance: DCU_OBJECTS.CACHED_ENERGY, source: WELL_KNOWN.ENERGY.instance, spec: ENERGY, columns: [...STATUS, ...ENERGIES] },
];

interface Span {
  from: number;
  to: number;
}

interface Row {
  meter: MeterPlan;
  at: number;
}

/** Sorts the spans of one meter and merges overlapping ones. */
function joined(spans: Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else all.push({ ...span });
  }
  return all;
}

/** Rows of an interval profile that tasks of a DCU have read; empty until a task names that profile. */
export function intervalCache(cache: IntervalCacheSpec, source: CacheSource): Profile {
  const { world, now, archive, tasks } = source;
  const periodMs = cache.spec.period as number; // as: no interval profile of ours follows the calendar
  let rows: Row[] = [];

  /** Time ranges of a meter that were read: `depth` rows back from each successful collection. */
  function spansOf(meter: MeterPlan, place: number): Span[] {
    const stream = streamOf(world.plan.seed, `cache/${cache.source}/${meter.sn}`);
    const spans = tasks.readingsOf(cache.source).flatMap(({ at, depth }) => {
      const readAt = readAtPlace(source, at, place);
      const isRead = readAt <= now() && readAt > source.clearedAt() && world.isUp(meter, readAt);
      const from = Math.max(readAt - depth * periodMs + 1, world.beganAt(meter), now() - CACHE_DEPTH_DAYS * DAY_MS);
      return isRead && from <= readAt && !isMissed(unitAt(stream, Math.floor(at / MINUTE_MS))) ? [{ from, to: readAt }] : [];
    });
    return joined(spans);
  }

  function collect(): Row[] {
    const known = metersInReach(source).map((meter, place) => ({ meter, spans: spansOf(meter, place), next: 0 }));
    const first = Math.min(...known.map(({ spans }) => spans[0]?.from ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(first)) return [];
    const lead = hourLeadMs(world.localTime, now()) % periodMs;
    const found: Row[] = [];
    for (let at = Math.ceil((first - lead) / periodMs) * periodMs + lead; at <= now(); at += periodMs) {
      for (const one of known) {
        while ((one.spans[one.next]?.to ?? Number.POSITIVE_INFINITY) < at) one.next++;
        if ((one.spans[one.next]?.from ?? Number.POSITIVE_INFINITY) <= at) found.push({ meter: one.meter, at });
      }
    }
    return found;
  }

  return {
    columns: [CLOCK_COLUMN, METER_COLUMN, PERIOD, ...cache.columns.map(({ object }) => object)],
    // Meters of one DCU may have different periods: each row carries its period.
    capturePeriodSeconds: 0,
    capacity: (archive.capacity * CACHE_DEPTH_DAYS * DAY_MS) / periodMs,
    held() {
      rows = collect();
      return heldOf(rows.map(({ at }) => at));
    },
    writeRows(out, _held, from, to, chosen) {
      const writeClock = createClockWriter(world.localTime);
      const valuesOf = valuesBySlot(cache, source);
      for (const row of rows.slice(from, to)) {
        writeRowHead(out, chosen.length);
        for (const column of chosen) {
          if (column === 0) writeClock(out, row.at);
          else if (column === 1) writeOctets(out, ascii(row.meter.sn));
          else if (column === 2) writeNumber(out, 'u16', periodMs / 1000);
          else writeValue(out, cache.columns[column - OWN_COLUMNS], valuesOf(row, column - OWN_COLUMNS));
        }
      }
    },
  };
}

function writeValue(out: ByteWriter, column: CachedColumn | undefined, value: number | undefined): void {
  if (column === undefined || value === undefined) writeNull(out);
  else writeNumber(out, column.object.instance === WELL_KNOWN.STATUS.instance ? 'u16' : 'u64', value * column.factor);
}

/** Column values of rows in ascending order of moments; caches the day series per meter. */
function valuesBySlot({ spec, columns: cached }: IntervalCacheSpec, { world }: CacheSource) {
  const days = new Map<MeterPlan, { day: number; series: (ArrayLike<number> | undefined)[] }>();
  return ({ meter, at }: Row, column: number): number | undefined => {
    const day = localDay(at);
    let known = days.get(meter);
    if (known?.day !== day) {
      const measured = { world, plan: meter };
      const captured = spec.columns(measured).map(({ object }) => object);
      const all = spec.dayOf?.(measured, day) ?? [];
      known = {
        day,
        series: cached.map(({ object }) => all[captured.findIndex((one) => one.instance === object.instance)]),
      };
      days.set(meter, known);
    }
    return known.series[column]?.[(at - dayStart(day)) / SLOT_MS];
  };
}
