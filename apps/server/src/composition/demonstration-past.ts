import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { LOADED_TRACE } from '@hes/contract/states/loaded.ts';
import { z } from 'zod';
import type { Context } from '#db/context.ts';
import { findSetting, saveSetting } from '#db/settings.ts';
import { storeClock } from '#features/clock/port.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { ReadingStore } from '#storage/reading-store.ts';
import { storeVersions } from '#features/assets/port.ts';
import { findNames, PAST_SETTING } from './demonstration.ts';
import type { DemonstrationNames } from './demonstration-queries.ts';
import { addTown, pastOfTown } from './demonstration-town.ts';
import { msBetween } from '#platform/clock.ts';
import { createTask } from '#tasks/create-task.ts';
import { findMetersOf, findRelays } from './queries.ts';
import { pastDays, type Simulator } from './simulator.ts';

type ControlDoor = NonNullable<ReturnType<Simulator['door']>>;

const HOUR_MS = 3_600_000;
const DAYS_SHOWN = 8;
const LOWEST_PRIORITY = 9;
/** Local time at which the loaded readings were read, as in a night of collection. */
const READ_AFTER_MS = HOUR_MS / 2;
const TENTHS = 10;
const MINUTE_MS = 60_000;
/** Without a rest between transformers, the meters of the simulator would answer late. */
const REST_MS = 100;

/** Margin after a late DCU connected, before its meters were read. */
const READ_LATER_MS = 5 * 60_000;

const past = z.object({
  meters: z.array(
    z.object({
      sn: z.string(),
      aheadMs: z.number().nullable(),
      daily: z.array(z.array(z.number())),
      late: z.array(z.tuple([z.int(), z.number()])),
      version: z.string(),
      events: z.array(z.object({ log: z.enum(['standard', 'fraud', 'quality']), code: z.int(), at: z.number() })),
    }),
  ),
});
type PastOfMeter = z.infer<typeof past>['meters'][number];

const CODE_OBJECT = { standard: WELL_KNOWN.EVCODE0, fraud: WELL_KNOWN.EVCODE1, quality: WELL_KNOWN.EVCODE4 };

interface Loading {
  ctx: Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'settings'>;
  writer: ReadingStore;
  events: Pick<EventWriter, 'store'>;
}

/** Days that are loaded, counted from 1970 in the calendar of the utility, both included. */
interface Span {
  from: number;
  to: number;
}

interface Stored {
  meterId: string;
  dcuId: string;
  past: PastOfMeter;
}

async function askPast({ port, secret }: ControlDoor, path: string, { from, to }: Span, signal: AbortSignal): Promise<unknown> {
  const address = `http://127.0.0.1:${port}${path}from=${dayText(from)}&to=${dayText(to)}`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${secret}` }, signal });
  if (!answer.ok) throw new Error(`The simulator did not tell its past (${path}): ${answer.status}`);
  return answer.json();
}

const fetchPast = async (door: ControlDoor, code: string, span: Span, signal: AbortSignal): Promise<PastOfMeter[]> =>
  past.parse(await askPast(door, `/past/${code}?`, span, signal)).meters;

async function findPast(
  { ctx }: Loading,
  { door, code, span, signal }: { door: ControlDoor; code: string; span: Span; signal: AbortSignal },
): Promise<Stored[]> {
  const ids = await findMetersOf(ctx.db, code);
  return (await fetchPast(door, code, span, signal)).flatMap((one) => {
    const found = ids.get(one.sn);
    return found === undefined ? [] : [{ ...found, past: one }];
  });
}

function storeReadings({ writer, ctx }: Loading, { from }: Span, meters: readonly Stored[]) {
  const zone = new Zone(ctx.settings.timeZone);
  const now = ctx.clock.now();
  const rows = meters.flatMap(({ meterId, dcuId, past: { daily, late } }) => {
    const readAfter = new Map(late.map(([at, ms]) => [at, ms + READ_LATER_MS]));
    return daily.map((registers, at) => ({
      meterId,
      dcuId,
      freezeDay: from + at,
      registers: registers.map((wh) => wh * TENTHS),
      statusWord: undefined,
      deviceTime: undefined,
      readAt: Math.min(now, zone.startOf(from + at) + (readAfter.get(at) ?? READ_AFTER_MS)),
      source: 'meter' as const,
      traceId: LOADED_TRACE,
    }));
  });
  return writer.storeDaily(rows);
}

/** Events before a moment: later ones belong to another span. */
const storeEvents = ({ events }: Loading, meters: readonly Stored[], untilMs: number) =>
  Promise.all(
    meters.map(({ meterId, dcuId, past: { events: logged } }) =>
      events.store({
        deviceKind: 'meter',
        meterId,
        dcuId,
        source: 'pull',
        traceId: LOADED_TRACE,
        events: logged
          .filter(({ at }) => at < untilMs)
          .map(({ log, code, at }) => ({
            log,
            code,
            occurAt: at,
            message: `${CODE_OBJECT[log].instance} = ${code}`,
            raw: new Uint8Array(0),
          })),
      }),
    ),
  );

/** `2026-03-29 03:15:00 +02:00`, as a device shows it. */
function clockText(at: number, zoneMinutes: number): string {
  const ahead = Math.abs(zoneMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const local = new Date(at - zoneMinutes * MINUTE_MS).toISOString().slice(0, 19).replace('T', ' ');
  return `${local} ${zoneMinutes > 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

/** The comparison of clocks in the last loaded night. One at a time: they are no hurry, and requests of users are. */
async function storeClocks({ ctx }: Loading, { to }: Span, meters: readonly Stored[]): Promise<void> {
  const zone = new Zone(ctx.settings.timeZone);
  const readAt = Math.min(ctx.clock.now(), zone.startOf(to) + READ_AFTER_MS);
  const zoneMinutes = zone.deviationMinutes(readAt);
  for (const {
    meterId,
    past: { aheadMs },
  } of meters) {
    if (aheadMs === null) continue;
    const deviceTime = clockText(readAt + aheadMs, zoneMinutes);
    const told = { zoneMinutes, status: 0, clockBase: null, hasDaylightSaving: null };
    const reading = { deviceTime, deviationMs: aheadMs, roundTripMs: 0, readAt, ...told };
    await storeClock(ctx.pool, { deviceKind: 'meter', deviceId: meterId, reading, method: null, traceId: LOADED_TRACE });
  }
}

/** Relays have no past that may be loaded: their states are evidence of commands. They are read, after everything that users and plans read. */
async function orderRelayReading(ctx: Loading['ctx']): Promise<void> {
  const items = await findRelays(ctx.db);
  if (items.length > 0)
    await createTask(ctx.db, { kind: 'relay_read', source: 'system', params: {}, priority: LOWEST_PRIORITY, createdBy: null, items });
}

interface PastOptions {
  door: ControlDoor;
  names: Pick<DemonstrationNames, 'transformers' | 'dcus'>;
  days: number;
  /** Language of the names of people. */
  language: 'en' | 'zh';
  signal: AbortSignal;
}

/**
 * Loads the past of the demonstration from the truth of its simulator, once, by the writers that real readings pass: a later reading of the
 * same day finds equal values. If loading is interrupted, the next start repeats it from the beginning and changes no stored row.
 */
export async function loadPast(loading: Loading, { door, names, days, language, signal }: PastOptions): Promise<void> {
  const { ctx } = loading;
  if (days <= 0 || (await findSetting(ctx.db, PAST_SETTING)) != null) return;
  const begun = ctx.clock.monotonic();
  const to = new Zone(ctx.settings.timeZone).dayOf(ctx.clock.now());
  const from = to - days + 1;
  const week = { from: Math.max(from, to - DAYS_SHOWN + 1), to };
  // The first pages show a week: the older days of all transformers come after it.
  for (const span of [week, { from, to: week.from - 1 }].filter((one) => one.from <= one.to)) {
    for (const code of names.transformers) {
      if (signal.aborted) return;
      const meters = await findPast(loading, { door, code, span, signal });
      await storeReadings(loading, span, meters);
      await storeEvents(loading, meters, new Zone(ctx.settings.timeZone).startOf(span.to + 1));
      if (span === week) await storeClocks(loading, span, meters);
      await storeVersions(ctx.db, new Map(meters.map(({ meterId, past: { version } }) => [meterId, version])));
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    if (span === week) {
      const town = pastOfTown.parse(await askPast(door, `/past?language=${language}&`, { from, to }, signal));
      await addTown(ctx, town, { dcus: names.dcus, zone: new Zone(ctx.settings.timeZone), language });
    }
  }
  await orderRelayReading(ctx);
  await saveSetting(ctx.db, PAST_SETTING, { from: dayText(from), to: dayText(to), loadedAt: new Date(ctx.clock.now()).toISOString() });
  ctx.log.info('The past of the demonstration is loaded', { days, ms: Math.round(msBetween(begun, ctx.clock.monotonic())) });
}

/** Loads the past in the background, so that it delays no page; returns the function that stops it. */
export function startPast(loading: Loading, door: ControlDoor, language: PastOptions['language'] = 'en'): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loaded = (async () => {
    const names = await findNames(loading.ctx.db);
    await loadPast(loading, { door, names, days: pastDays(), language, signal });
  })().catch((error: unknown) => {
    if (!signal.aborted) loading.ctx.log.error('The past of the demonstration could not be loaded; the next start tries again', { error });
  });
  return async () => {
    stopping.abort();
    await loaded;
  };
}
