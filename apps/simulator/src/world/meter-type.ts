import type { MeterPlan } from './plan.ts';

/** `SM`, the phases, then power line, radio or master. */
export function meterTypeOf(meter: MeterPlan): string {
  if (meter.kind === 'master') return 'SM-3M';
  return `SM-${meter.phase === 'abc' ? '3' : '1'}${meter.mode === 'rf' ? 'R' : 'P'}`;
}
