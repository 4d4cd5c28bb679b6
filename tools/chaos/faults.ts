import type { FaultKind } from '../../apps/simulator/src/control/faults.ts';

/** What is done to the product, and to whom. The numbers are those of the list of faults in docs/reliability.md. */
export type Trouble =
  /** A fault of the simulated field, of some DCUs or meters, until it is cleared. */
  | { of: 'dcu' | 'meter'; kind: FaultKind; count?: number; delayMs?: number }
  | { of: 'line' }
  | { of: 'place' }
  | { of: 'server' }
  | { of: 'database'; signal: NodeJS.Signals }
  | { of: 'database'; signal: 'locked' | 'full' }
  /** Alarms twice and out of order, or from somebody nobody knows. */
  | { of: 'pushes'; from: 'meters' | 'strangers' }
  /** More connections than the server may have open. */
  | { of: 'descriptors' }
  | { of: 'caller' };

export const TROUBLES: Record<string, { number: string; trouble: Trouble }> = {
  'line-drops': { number: 'F1', trouble: { of: 'line' } },
  torn: { number: 'F1', trouble: { of: 'dcu', kind: 'torn', count: 4 } },
  'half-open': { number: 'F2', trouble: { of: 'dcu', kind: 'half_open' } },
  trickle: { number: 'F3', trouble: { of: 'dcu', kind: 'trickle', count: 1 } },
  'silent-dcu': { number: 'F4', trouble: { of: 'dcu', kind: 'silence' } },
  'garbage-dcu': { number: 'F5', trouble: { of: 'dcu', kind: 'garbage', count: 3 } },
  garbage: { number: 'F5', trouble: { of: 'meter', kind: 'garbage', count: 3 } },
  overlong: { number: 'F6', trouble: { of: 'dcu', kind: 'overlong', count: 1 } },
  silence: { number: 'F4', trouble: { of: 'meter', kind: 'silence' } },
  drop: { number: 'F4', trouble: { of: 'meter', kind: 'drop', count: 2 } },
  'absent-dcu': { number: 'F25', trouble: { of: 'dcu', kind: 'absent' } },
  slow: { number: 'F3', trouble: { of: 'dcu', kind: 'slow', delayMs: 300, count: 40 } },
  deny: { number: 'F11', trouble: { of: 'meter', kind: 'deny', count: 3 } },
  exception: { number: 'F11', trouble: { of: 'meter', kind: 'exception', count: 3 } },
  'wrong-key': { number: 'F12', trouble: { of: 'meter', kind: 'wrong_key' } },
  replay: { number: 'F13', trouble: { of: 'meter', kind: 'replay', count: 2 } },
  'counter-ahead': { number: 'F15', trouble: { of: 'meter', kind: 'counter_ahead', count: 1 } },
  'bit-flip': { number: 'F16', trouble: { of: 'meter', kind: 'bit_flip', count: 3 } },
  'wrong-clock': { number: 'F20', trouble: { of: 'meter', kind: 'wrong_stamps', count: 4 } },
  'pushed-again': { number: 'F17', trouble: { of: 'pushes', from: 'meters' } },
  strangers: { number: 'F18', trouble: { of: 'pushes', from: 'strangers' } },
  'moved-meter': { number: 'F26', trouble: { of: 'place' } },
  'lost-switch': { number: 'F30', trouble: { of: 'meter', kind: 'lost_switch', count: 1 } },
  'kill-server': { number: 'F31, F35', trouble: { of: 'server' } },
  'twice-ordered': { number: 'F32', trouble: { of: 'caller' } },
  'kill-database': { number: 'F34', trouble: { of: 'database', signal: 'SIGKILL' } },
  'stop-database': { number: 'F34', trouble: { of: 'database', signal: 'SIGQUIT' } },
  'full-disk': { number: 'F36', trouble: { of: 'database', signal: 'full' } },
  'no-descriptors': { number: 'F40', trouble: { of: 'descriptors' } },
  'locked-database': { number: 'F38', trouble: { of: 'database', signal: 'locked' } },
};
