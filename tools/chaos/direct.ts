import type { Random } from '../fuzz/random.ts';
import type { FaultSpec } from './faults.ts';
import type { Draw, Fleet } from './fleet-shape.ts';
import { isRestricted, shuffled, whoOf } from './targets.ts';

/** One direct meter in this many speaks HDLC. */
const HDLC_SHARE = 4;
/** Number of direct meters in HDLC among so many. All of them dial in: a dialled one cannot stay away. */
export const hdlcAmong = (direct: number): number => Math.floor(direct / HDLC_SHARE);

/**
 * Whether a fault has its effect at a direct meter: that of a DCU at the meter's own connection. Excluded are faults that need a
 * DCU, its line or its archive, and noise of a DCU, which a direct meter sends under the fault of meters.
 */
export function strikesDirectMeters({ trouble }: FaultSpec): boolean {
  switch (trouble.of) {
    case 'dcu':
      return trouble.kind !== 'quick_line' && trouble.kind !== 'garbage';
    case 'meter':
      return trouble.kind !== 'crossed';
    case 'place':
      return trouble.what === 'exchanged';
    case 'line':
    case 'imposter':
    case 'parameter':
      return true;
    default:
      return false;
  }
}

/** Gives each fault one direct meter of its own; faults that affect some meters only choose first. */
export function drawDirect(specs: readonly { name: string; spec: FaultSpec }[], { meters }: Fleet, random: Random): Draw[] {
  const free = shuffled(
    meters.filter(({ isDirect }) => isDirect),
    random,
  );
  const fit = specs.filter(({ spec }) => strikesDirectMeters(spec));
  return [...fit.filter(({ spec }) => isRestricted(spec)), ...fit.filter(({ spec }) => !isRestricted(spec))].map(({ name, spec }) => {
    const at = free.findIndex(whoOf(spec));
    return { name, spec, targets: at === -1 ? [] : free.splice(at, 1).map(({ sn }) => sn) };
  });
}
