import type { CountedProfile } from '@hes/contract/reading/reading.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { Operation, Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { OnDemandKind } from '@hes/contract/action/read.ts';
import type { CachedType } from '@hes/contract/states/plan.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import { type ObjectMap, STANDARD_OBJECTS } from '#field/object-map.ts';
import { findReadingItems, type ReadingItemRow } from '#field/queries.ts';
import { findVerdicts, learnFrom, type Verdict } from '#features/assets/port.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { collectRange, rangeResult } from '#field/profiles/profiles.ts';
import type { DcuCaches } from '#field/profiles/dcu-caches.ts';
import { readEach, refused, unlessNone } from '#field/profiles/read-registers.ts';
import { changesOf, withMeter, type MeterWork } from '#field/operations/with-meter.ts';

type RangeKind = Exclude<OnDemandKind, 'registers'>;

/** A reading item at the logical name that the meter type defines. */
function locateItem(item: ReadingItemRow, places: ObjectMap = STANDARD_OBJECTS): ReadingItemRow {
  const place = places.get(item.key);
  return place === undefined ? item : { ...item, obis: place.instance, classId: place.classId, attribute: place.attribute };
}

/**
 * Reads registers. The items are loaded before the association, because an open association occupies the DCU's channel. Objects
 * that the meter type lacks are skipped unless the order forces them.
 */
async function readRegisters(tools: OperationTools, item: WorkItem<'registers'>): Promise<WorkReport> {
  const usual = await findReadingItems(tools.ctx.pool, item.params.items);
  if (usual.length === 0) return { outcome: failed('INTERNAL', 'The order names no reading item'), traceId: undefined };
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  const items = usual.map((one) => locateItem(one, device?.objectMap));
  const verdicts = device === undefined ? [] : await findVerdicts(tools.ctx.pool, device.meterTypeId, items);
  const isAsked = ({ key }: ReadingItemRow) => item.params.askAnyway || !verdicts.some((known) => known.key === key && known.isLearnt);
  if (!items.some(isAsked)) return { outcome: failed('TYPE_UNSUPPORTED'), traceId: undefined };
  return withMeter(tools, item, (meter) => readItems(tools, item, meter, { items, isAsked, verdicts }));
}

interface Asked {
  items: ReadingItemRow[];
  isAsked: (item: ReadingItemRow) => boolean;
  verdicts: Verdict[];
}

async function readItems(tools: OperationTools, item: WorkItem<'registers'>, meter: MeterWork, asked: Asked): Promise<Outcome<ItemResult>> {
  const { link, device, now } = meter;
  const items = asked.items.filter(asked.isAsked);
  const onChanged = changesOf(tools, meter);
  const each = await readEach(link, device, tools.devices, { items, now, deviationMinutes: tools.zone.deviationMinutes(now), onChanged });
  if (!each.ok) return each;
  meter.storing(learnFrom(tools.ctx.pool, { device, items, values: each.value, verdicts: asked.verdicts, traceId: meter.traceId }));
  const read = unlessNone(each.value);
  if (!read.ok) return read;
  if (item.params.store) {
    const latest = read.value
      .filter((value) => value.reasonCode === null && value.at !== null)
      .map(({ item: key, value, unit, at }) => [key, { value, unit, at: at ?? '', traceId: meter.traceId }] as const);
    if (latest.length > 0) meter.storing(tools.writer.storeValues(device.id, Object.fromEntries(latest), meter.urgent));
  }
  const answers = new Map(read.value.map((value) => [value.item, value]));
  return ok({ values: asked.items.map((known) => answers.get(known.key) ?? refused(known, 'TYPE_UNSUPPORTED')) });
}

/** Epoch milliseconds of local days; the last day ends now at the latest. */
function rangeOf(tools: OperationTools, item: WorkItem<RangeKind>, now: number): { from: number; to: number } {
  const { from, to } = item.params;
  const first = tools.zone.startOf(dayNumberOf(from));
  // The midnight at the end of the last day belongs to the next day.
  const last = tools.zone.startOf(dayNumberOf(to) + 1) - 1000;
  return { from: first, to: Math.min(last, now) };
}

async function range(
  tools: OperationTools,
  item: WorkItem<RangeKind>,
  meter: MeterWork,
  profile: CountedProfile,
): Promise<Outcome<ItemResult>> {
  const days = rangeOf(tools, item, meter.now);
  if (days.from > days.to) return failed('NO_DATA');
  const read = await collectRange(tools, meter, { profile, ...days, store: item.params.store });
  return read.ok ? rangeResult(read.value) : read;
}

const ranged =
  (tools: OperationTools, profile: CountedProfile): Operation<RangeKind> =>
  (item) =>
    withMeter(tools, item, (meter) => range(tools, item, meter, profile));

/** Reads rows from the DCU's cache, without contacting the meter. */
async function readCached(tools: OperationTools, item: WorkItem<RangeKind>, profile: CachedType, caches: DcuCaches): Promise<WorkReport> {
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  const days = rangeOf(tools, item, tools.ctx.clock.now());
  if (device === undefined) return { outcome: failed('INTERNAL', 'The order names no meter'), traceId: undefined };
  const taken = await caches.takeRows(tools, item, { device, profile, ...days });
  if (taken === undefined) return { outcome: failed('NO_DATA'), traceId: undefined };
  const stored = item.params.store ? taken.store(true) : undefined;
  stored?.catch(() => undefined);
  return { outcome: ok({ rows: taken.stamps.length }), traceId: taken.traceId, stored };
}

/** Readings on demand: registers, or rows of profiles over some days. */
export function onDemandOperations(tools: FeatureTools): Pick<Operations, OnDemandKind> {
  const ofProfile =
    (profile: RangeKind): Operation<RangeKind> =>
    (item) =>
      item.params.source === 'cache' ? readCached(tools, item, profile, tools.caches) : ranged(tools, profile)(item);
  return {
    registers: (item) => readRegisters(tools, item),
    daily: ofProfile('daily'),
    monthly: ofProfile('monthly'),
    energy: ofProfile('energy'),
    lpa: ofProfile('lpa'),
    lpb: ofProfile('lpb'),
  };
}
