import { authenticationOf, type MeterAuthentication } from '../../apps/simulator/src/devices/rules.ts';
import { parseScale } from '../../apps/simulator/src/world/scale.ts';
import { createWorld } from '../../apps/simulator/src/world/world.ts';
import { Random } from '../fuzz/random.ts';
import { FAULTS, type FaultSpec, type Who } from './faults.ts';

export interface FleetMeter {
  sn: string;
  dcu: string;
  authentication: MeterAuthentication;
  /** Its relay opens and closes from afar. */
  isSwitchable: boolean;
}

export interface Fleet {
  meters: FleetMeter[];
  dcus: string[];
}

/** The simulated fleet, as its seed and size make it. */
export function fleetOf(seed: number, scaleText: string): Fleet {
  const scale = parseScale(scaleText);
  if (scale === undefined) throw new RangeError(`Not a scale: ${scaleText}`);
  const { plan } = createWorld(seed, scale);
  return {
    dcus: plan.dcus.map(({ sn }) => sn),
    meters: plan.meters.map((meter) => ({
      sn: meter.sn,
      dcu: meter.dcu.sn,
      authentication: authenticationOf(meter, 'mixed'),
      isSwitchable: meter.index % 16 !== 7 && meter.index % 64 !== 21,
    })),
  };
}

/** A fault with what it strikes in this campaign. */
export interface Draw {
  name: string;
  spec: FaultSpec;
  /** Serial numbers of DCUs or meters. */
  targets: string[];
}

/** Meters that one fault strikes when it does not say how many. */
const METERS = 2;
const DCUS = 1;

const CAN_BE: Record<Who, (meter: FleetMeter) => boolean> = {
  any: () => true,
  ciphered: ({ authentication }) => authentication === 'hls_gmac',
  plain: ({ authentication }) => authentication !== 'hls_gmac',
  none: ({ authentication }) => authentication === 'none',
};

/** The same items in another order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T); // as: there are as many as are taken
}

const strikesDcus = ({ trouble: { of } }: FaultSpec): boolean => of === 'dcu' || of === 'line' || of === 'imposter';

function whoOf({ trouble }: FaultSpec): (meter: FleetMeter) => boolean {
  if (trouble.of === 'foreign') return CAN_BE.ciphered;
  if (trouble.of === 'parameter' && trouble.what !== 'firmware') return CAN_BE.ciphered;
  if (trouble.of === 'place' && trouble.what === 'exchanged') return CAN_BE.ciphered;
  if (trouble.of !== 'meter') return CAN_BE.any;
  const can = CAN_BE[trouble.who ?? 'any'];
  return trouble.kind === 'lost_switch' ? (meter) => can(meter) && meter.isSwitchable : can;
}

const countOf = ({ trouble }: FaultSpec): number => {
  if (trouble.of === 'meter') return trouble.targets ?? METERS;
  return trouble.of === 'place' || trouble.of === 'parameter' || trouble.of === 'foreign' ? 1 : 0;
};

/** Gives each fault targets of its own: no device has two faults in one wave, and no meter with a fault hangs behind a DCU with one. */
export function drawTargets(names: readonly string[], fleet: Fleet, seed: number): Draw[] {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x5eed);
  const draws: Draw[] = [];
  for (const wave of [1, 2] as const) {
    const specs = names.flatMap((name) => (FAULTS[name]?.wave === wave ? [{ name, spec: FAULTS[name] }] : []));
    const dcus = shuffled(fleet.dcus, random);
    const ofDcus = specs.filter(({ spec }) => strikesDcus(spec));
    for (const { name, spec } of ofDcus) draws.push({ name, spec, targets: dcus.splice(0, DCUS) });
    let meters = shuffled(
      fleet.meters.filter(({ dcu }) => dcus.includes(dcu)),
      random,
    );
    // Meters are crossed with a neighbour, which another fault of its DCU may not change.
    const crossed = new Set<string>();
    const isCrossing = ({ trouble }: FaultSpec): boolean => trouble.of === 'meter' && trouble.kind === 'crossed';
    const take = (spec: FaultSpec): string[] => {
      const fit = isCrossing(spec) ? meters.filter(({ dcu }) => !crossed.has(dcu)) : meters;
      const taken = fit.filter(whoOf(spec)).slice(0, countOf(spec));
      if (isCrossing(spec)) for (const { dcu } of taken) crossed.add(dcu);
      meters = meters.filter((meter) => !taken.includes(meter));
      return taken.map(({ sn }) => sn);
    };
    // What cannot strike every meter chooses first.
    const others = specs.filter(({ spec }) => !strikesDcus(spec));
    const isChoosy = ({ spec }: { spec: FaultSpec }) => spec.trouble.of === 'meter' && spec.trouble.who === 'none';
    for (const { name, spec } of [...others.filter(isChoosy), ...others.filter((one) => !isChoosy(one))])
      draws.push({ name, spec, targets: take(spec) });
  }
  return draws;
}
