import { authenticationOf } from '../../apps/simulator/src/devices/rules.ts';
import { parseScale } from '../../apps/simulator/src/world/scale.ts';
import { createWorld } from '../../apps/simulator/src/world/world.ts';
import { Random } from '../fuzz/random.ts';
import { drawDirect, hdlcAmong } from './direct.ts';
import { faultOf, type FaultSpec } from './faults.ts';
import type { Draw, Fleet } from './fleet-shape.ts';
import { shuffled, whoOf } from './targets.ts';

/** Size of a fleet: DCUs and their meters in the form of SIM_SCALE, and the number of direct meters besides. */
export interface FleetSize {
  scale: string;
  direct: number;
}

/** The simulated fleet of a seed and size. */
export function fleetOf(seed: number, { scale: scaleText, direct }: FleetSize): Fleet {
  const scale = parseScale(scaleText);
  if (scale === undefined) throw new RangeError(`Invalid scale: ${scaleText}`);
  const { plan } = createWorld(seed, scale, undefined, { count: direct, hdlc: hdlcAmong(direct) });
  return {
    dcus: plan.dcus.map(({ sn }) => sn),
    meters: plan.meters.map((meter) => ({
      sn: meter.sn,
      dcu: meter.isDirect === true ? meter.sn : meter.dcu.sn,
      isDirect: meter.isDirect === true,
      isHdlc: meter.framing === 'hdlc',
      authentication: authenticationOf(meter, 'mixed'),
      isSwitchable: meter.index % 16 !== 7 && meter.index % 64 !== 21,
    })),
  };
}

/** Default number of meters for one fault. */
const METERS = 2;
const DCUS = 1;

/** The ciphering meter that answers in the place of a crossed one. */
export function neighbourOf({ meters }: Pick<Fleet, 'meters'>, sn: string): string {
  const own = meters.find((meter) => meter.sn === sn);
  const behind = meters.filter(({ dcu, authentication }) => dcu === own?.dcu && authentication === 'hls_gmac');
  return behind.find((meter) => meter.sn !== sn)?.sn ?? '';
}

const strikesDcus = ({ trouble: { of } }: FaultSpec): boolean => of === 'dcu' || of === 'line' || of === 'imposter';

const isCrossing = ({ trouble }: FaultSpec): boolean => trouble.of === 'meter' && trouble.kind === 'crossed';
const isEndless = ({ trouble }: FaultSpec): boolean => trouble.of === 'meter' && trouble.kind.startsWith('endless');
const isChoosy = ({ spec }: { spec: FaultSpec }): boolean =>
  (spec.trouble.of === 'meter' && spec.trouble.who === 'none') || isCrossing(spec);

const countOf = ({ trouble }: FaultSpec): number => {
  if (trouble.of === 'meter') return trouble.targets ?? METERS;
  return trouble.of === 'place' || trouble.of === 'parameter' || trouble.of === 'foreign' ? 1 : 0;
};

type NamedFault = Pick<Draw, 'name' | 'spec'>;

/** Faults of processes have no targets. */
const hasTargets = ({ spec: { trouble } }: NamedFault): boolean => !['server', 'database', 'node', 'pushes', 'caller'].includes(trouble.of);

/**
 * Gives each fault separate targets, and a direct meter as another one: no device has two faults in one wave. With `onlyDirect`, DCUs
 * and their meters have none.
 */
export function drawTargets(names: readonly string[], fleet: Fleet, seed: number, onlyDirect = false): Draw[] {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x5eed);
  const randomOfDirect = new Random(Math.imul(seed, 0x9e3779b1) ^ 0xd14ec7);
  const draws: Draw[] = [];
  for (const wave of [1, 2] as const) {
    const faults = names.flatMap((name) => {
      const spec = faultOf(name);
      return spec?.wave === wave ? [{ name, spec }] : [];
    });
    const others = onlyDirect ? faults.filter((fault) => !hasTargets(fault)) : faults;
    draws.push(...drawBehindDcus(others, fleet, random, draws));
    if (fleet.meters.some(({ isDirect }) => isDirect)) draws.push(...drawDirect(faults, fleet, randomOfDirect));
  }
  return draws;
}

/** Draws DCUs and their meters: no meter of another stack has any other fault, and no meter with a fault is behind a DCU with one. */
function drawBehindDcus(faults: readonly NamedFault[], fleet: Fleet, random: Random, earlier: readonly Draw[]): Draw[] {
  const dcus = shuffled(fleet.dcus, random);
  const ofDcus = faults.filter(({ spec }) => strikesDcus(spec)).map((fault) => ({ ...fault, targets: dcus.splice(0, DCUS) }));
  // A meter of another stack stays for both waves, and other faults do not reach it.
  const foreign = new Set(earlier.filter(({ spec }) => spec.trouble.of === 'foreign').flatMap(({ targets }) => targets));
  let meters = shuffled(
    fleet.meters.filter(({ sn, dcu }) => dcus.includes(dcu) && !foreign.has(sn)),
    random,
  );
  // Behind a DCU one meter at most is crossed with a neighbour, and that neighbour has no fault of its own.
  const crossed = new Set(fleet.meters.filter(({ sn }) => foreign.has(sn)).map(({ dcu }) => dcu));
  // Two meters with endless responses behind one DCU would hide whether their neighbours wait for one of them.
  const endless = new Set<string>();
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
  const others = faults.filter(({ spec }) => !strikesDcus(spec));
  const inOrder = [...others.filter(isChoosy), ...others.filter((one) => !isChoosy(one))];
  return [...ofDcus, ...inOrder.map(({ name, spec }) => ({ name, spec, targets: take(spec) }))];
}
