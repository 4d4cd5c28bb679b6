import { authenticationOf, type MeterAuthentication } from '../../apps/simulator/src/devices/rules.ts';
import { parseScale } from '../../apps/simulator/src/world/scale.ts';
import { createWorld } from '../../apps/simulator/src/world/world.ts';
import { Random } from '../fuzz/random.ts';
import { FAULTS, type FaultSpec, type Who } from './faults.ts';

export interface FleetMeter {
  sn: string;
  dcu: string;
  authentication: MeterAuthentication;
  /** The relay opens and closes remotely. */
  isSwitchable: boolean;
}

export interface Fleet {
  meters: FleetMeter[];
  dcus: string[];
}

/** The simulated fleet of a seed and size. */
export function fleetOf(seed: number, scaleText: string): Fleet {
  const scale = parseScale(scaleText);
  if (scale === undefined) throw new RangeError(`Invalid scale: ${scaleText}`);
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

/** A fault with its targets in this campaign. */
export interface Draw {
  name: string;
  spec: FaultSpec;
  /** Serial numbers of DCUs or meters. */
  targets: string[];
}

/** Default number of meters for one fault. */
const METERS = 2;
const DCUS = 1;

const CAN_BE: Record<Who, (meter: FleetMeter) => boolean> = {
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

/** The ciphering meter that answers in the place of a crossed one. */
export function neighbourOf({ meters }: Pick<Fleet, 'meters'>, sn: string): string {
  const own = meters.find((meter) => meter.sn === sn);
  const behind = meters.filter(({ dcu, authentication }) => dcu === own?.dcu && authentication === 'hls_gmac');
  return behind.find((meter) => meter.sn !== sn)?.sn ?? '';
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

/** Gives each fault separate targets: no device has two faults in one wave, no meter of another stack has any other, and no meter with a fault is behind a DCU with one. */
export function drawTargets(names: readonly string[], fleet: Fleet, seed: number): Draw[] {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x5eed);
  const draws: Draw[] = [];
  for (const wave of [1, 2] as const) {
    const specs = names.flatMap((name) => (FAULTS[name]?.wave === wave ? [{ name, spec: FAULTS[name] }] : []));
    const dcus = shuffled(fleet.dcus, random);
    const ofDcus = specs.filter(({ spec }) => strikesDcus(spec));
    for (const { name, spec } of ofDcus) draws.push({ name, spec, targets: dcus.splice(0, DCUS) });
    // A meter of another stack stays for both waves, and other faults do not reach it.
    const foreign = new Set(draws.filter(({ spec }) => spec.trouble.of === 'foreign').flatMap(({ targets }) => targets));
    let meters = shuffled(
      fleet.meters.filter(({ sn, dcu }) => dcus.includes(dcu) && !foreign.has(sn)),
      random,
    );
    // Behind a DCU one meter at most is crossed with a neighbour, and that neighbour has no fault of its own.
    const crossed = new Set(fleet.meters.filter(({ sn }) => foreign.has(sn)).map(({ dcu }) => dcu));
    const isCrossing = ({ trouble }: FaultSpec): boolean => trouble.of === 'meter' && trouble.kind === 'crossed';
    // Two meters with endless responses behind one DCU would hide whether their neighbours wait for one of them.
    const endless = new Set<string>();
    const isEndless = ({ trouble }: FaultSpec): boolean => trouble.of === 'meter' && trouble.kind.startsWith('endless');
    const isFree = (sn: string): boolean => meters.some((meter) => meter.sn === sn);
    const take = (spec: FaultSpec): string[] => {
      const taken: string[] = [];
      for (const meter of meters.filter(whoOf(spec))) {
        if (taken.length === countOf(spec)) break;
        const neighbour = neighbourOf(fleet, meter.sn);
        if (isCrossing(spec) && (crossed.has(meter.dcu) || !isFree(neighbour))) continue;
        if (isEndless(spec) && endless.has(meter.dcu)) continue;
        if (isEndless(spec)) endless.add(meter.dcu);
        taken.push(meter.sn);
        if (!isCrossing(spec)) continue;
        crossed.add(meter.dcu);
        meters = meters.filter(({ sn }) => sn !== neighbour);
      }
      meters = meters.filter(({ sn }) => !taken.includes(sn));
      return taken;
    };
    // Faults with restricted targets choose first.
    const others = specs.filter(({ spec }) => !strikesDcus(spec));
    const isChoosy = ({ spec }: { spec: FaultSpec }) => spec.trouble.of === 'meter' && (spec.trouble.who === 'none' || isCrossing(spec));
    for (const { name, spec } of [...others.filter(isChoosy), ...others.filter((one) => !isChoosy(one))])
      draws.push({ name, spec, targets: take(spec) });
  }
  return draws;
}
