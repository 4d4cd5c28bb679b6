import type { DcuPlan, MeterPlan } from './plan.ts';
import { between, streamOf, unitAt } from './random.ts';

/** A meter as the network of a DCU hears it. */
export interface Heard {
  meter: MeterPlan;
  hops: number;
  /** SNR in dB over the power line, RSSI in dBm over radio. */
  signal: number;
}

/** One meter in this many is also heard by a neighbouring DCU. */
const CROSSTALK_EVERY = 17;

const signalOf = (stream: number, meter: MeterPlan): number => {
  const noise = between(stream, meter.index, -3, 3);
  return Math.round((meter.mode === 'rf' ? -56 - 42 * meter.distance : 30 - 22 * meter.distance) + noise);
};

/** Meters that a DCU can hear: its own responsive ones, and one or two of its neighbour's with a weak signal. */
export function airOf(seed: number, dcu: DcuPlan, own: readonly MeterPlan[], neighbours: readonly MeterPlan[]): Heard[] {
  const stream = streamOf(seed, 'air');
  const heard = own
    .filter((meter) => !meter.isSilent)
    .map((meter) => ({ meter, hops: Math.max(0, meter.hops - 1), signal: signalOf(stream, meter) }));
  const strays = neighbours
    .filter((meter) => !meter.isSilent && meter.kind !== 'master' && meter.index % CROSSTALK_EVERY === dcu.index % CROSSTALK_EVERY)
    .slice(0, 2)
    .map((meter) => ({ meter, hops: 3, signal: meter.mode === 'rf' ? -97 - Math.floor(unitAt(stream, meter.index, 9) * 4) : 4 }));
  // The discovery order is independent of the order of any list.
  return [...heard, ...strays].toSorted((a, b) => unitAt(stream, a.meter.index, 7) - unitAt(stream, b.meter.index, 7));
}
