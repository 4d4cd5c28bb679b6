import type { MeterPlan } from './plan.ts';

/** `SM`, the number of phases, then the medium: P power line, R radio, D direct, M master. */
export function meterTypeOf(meter: MeterPlan): string {
  if (meter.kind === 'master') return 'SM-3M';
  return `SM-${meter.phase === 'abc' ? '3' : '1'}${meter.isDirect === true ? 'D' : meter.mode === 'rf' ? 'R' : 'P'}`;
}
