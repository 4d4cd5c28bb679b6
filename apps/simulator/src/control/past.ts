import { factoryFirmware } from '#devices/meter-objects.ts';
import type { EventLog } from '#world/events.ts';
import type { MeterPlan } from '#world/plan.ts';
import { awayForMs } from '#world/town-past.ts';
import type { Tariff, World } from '#world/world.ts';

/** Values and events that a head-end would have stored if it had always read this meter. Simulated meters answer with the same functions. */
export interface PastOfMeter {
  sn: string;
  /** Deviation of its clock in milliseconds; positive: ahead. Null: it never answered. */
  aheadMs: number | null;
  /** For each day from `from` on, 10 registers in Wh: E+, E−, E+ of the tariffs 1 to 4, E− of them. Empty: it never answered. */
  daily: number[][];
  /** Indices in `daily` of the days on which the DCU was away at night, with the milliseconds after midnight when it could be read. */
  late: [index: number, ms: number][];
  /** Firmware that the meter came with. */
  version: string;
  events: { log: EventLog; code: number; at: number }[];
}

const TARIFFS: readonly Tariff[] = [1, 2, 3, 4];
const LOGS: readonly EventLog[] = ['standard', 'fraud', 'quality'];

/** Whether a head-end reads this meter: it answers, with the delivered key, and so does its DCU. */
const isReadable = ({ isSilent, hasWrongKey, isDirect, dcu }: MeterPlan): boolean =>
  !isSilent && !hasWrongKey && (isDirect === true || !dcu.isAbsent);

/** Registers at the local midnight that begins the day, in the order of `PastOfMeter`. */
function registersOf(world: World, meter: MeterPlan, day: number): number[] {
  const at = world.localTime.startOf(day);
  const register = (direction: 'plus' | 'minus', tariff: Tariff) => world.register(meter, at, direction, tariff);
  const byTariff = (direction: 'plus' | 'minus') => TARIFFS.map((tariff) => register(direction, tariff));
  return [register('plus', 0), register('minus', 0), ...byTariff('plus'), ...byTariff('minus')];
}

const lateOf = (ms: number | undefined, at: number): [number, number][] => (ms === undefined ? [] : [[at, ms]]);

/** The past of the meters of a transformer that are in the archive, from a local day to another one, both included. */
export function pastOf(world: World, transformerCode: string, { from, to }: { from: number; to: number }, nowMs: number): PastOfMeter[] {
  const meters = world.plan.meters.filter(
    ({ transformer, isUncommissioned }) => transformer.code === transformerCode && isUncommissioned !== true,
  );
  return meters.map((meter) => {
    const { version } = factoryFirmware(meter);
    if (!isReadable(meter)) return { sn: meter.sn, aheadMs: null, daily: [], late: [], version, events: [] };
    const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    const logged = (log: EventLog) =>
      world.events(meter, log, world.localTime.startOf(from), nowMs).map(({ code, at }) => ({ log, code, at }));
    return {
      sn: meter.sn,
      aheadMs: meter.driftSeconds * 1000,
      daily: days.map((day) => registersOf(world, meter, day)),
      late: meter.isDirect === true ? [] : days.flatMap((day, at) => lateOf(awayForMs(world, meter.dcu, day), at)),
      version,
      events: LOGS.flatMap(logged),
    };
  });
}
