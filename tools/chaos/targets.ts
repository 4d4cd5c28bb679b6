import type { Random } from '../fuzz/random.ts';
import type { FaultSpec, Who } from './faults.ts';
import type { FleetMeter } from './fleet-shape.ts';

type Fits = (meter: FleetMeter) => boolean;

const CAN_BE: Record<Who, Fits> = {
  any: () => true,
  ciphered: ({ authentication }) => authentication === 'hls_gmac',
  plain: ({ authentication }) => authentication !== 'hls_gmac',
  none: ({ authentication }) => authentication === 'none',
};

/** A shuffled copy of the items. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T); // as: there are as many as are taken
}

/** Meters that a fault can affect. Only a device with keys can prove that another caller is not it. */
export function whoOf({ trouble }: FaultSpec): Fits {
  if (trouble.of === 'foreign' || trouble.of === 'imposter') return CAN_BE.ciphered;
  if (trouble.of === 'parameter' && trouble.what !== 'firmware') return CAN_BE.ciphered;
  if (trouble.of === 'place' && trouble.what === 'exchanged') return CAN_BE.ciphered;
  if (trouble.of !== 'meter') return CAN_BE.any;
  const can = CAN_BE[trouble.who ?? 'any'];
  return trouble.kind === 'lost_switch' ? (meter) => can(meter) && meter.isSwitchable : can;
}

/** Whether the fault affects some meters only. */
export const isRestricted = (spec: FaultSpec): boolean => whoOf(spec) !== CAN_BE.any;
