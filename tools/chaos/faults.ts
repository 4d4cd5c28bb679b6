import type { FaultKind } from '../../apps/simulator/src/control/faults.ts';

/** Meters that a fault can affect: a changed octet goes unnoticed only without ciphering. */
export type Who = 'any' | 'ciphered' | 'plain' | 'none';

/** A fault and its targets. The numbers are those of the list of faults in docs/reliability.md. */
export type Trouble =
  /** A fault of the simulated field at DCUs or meters, until it is cleared. */
  | {
      of: 'dcu' | 'meter';
      kind: FaultKind;
      count?: number;
      delayMs?: number;
      octets?: number;
      skip?: number;
      who?: Who;
      targets?: number;
      /** From a moment soon after the last reading to the end of the campaign. */
      isChange?: boolean;
    }
  /** Connections of a DCU are closed repeatedly. */
  | { of: 'line'; everyMs: number }
  /** A meter that its DCU does not reach, that moved to another one, or was replaced. */
  | { of: 'place'; what: 'lost' | 'moved' | 'exchanged' }
  /** A meter that differs from the head-end's data, until an operator corrects it. */
  | { of: 'parameter'; what: 'keys' | 'type' | 'firmware' }
  | { of: 'server'; what: 'killed' | 'stalled' | 'ahead' | 'behind' | 'crowded' }
  | { of: 'database'; what: 'SIGKILL' | 'SIGQUIT' | 'locked' | 'full' | 'cut' | 'slow' | 'ended' }
  /** One of several head-ends, or what is between them. */
  | { of: 'node'; what: 'killed' | 'paused' | 'cut off' | 'deaf' | 'failed over' | 'restarted' | 'of two versions' }
  /** Alarms twice and out of order, or from unknown senders. */
  | { of: 'pushes'; from: 'meters' | 'strangers' }
  /** A caller without keys identifies itself as a connected DCU. */
  | { of: 'imposter' }
  /** A meter of another DLMS stack. */
  | { of: 'foreign' }
  | { of: 'caller' };

export interface FaultSpec {
  number: string;
  trouble: Trouble;
  /** 1: during the first collection, with kills of the server. 2: after the jump of all clocks by 30 hours; the server keeps running. */
  wave: 1 | 2;
  /** Minimum duration: longer than the timeout that it must trigger. */
  lastsMs: number;
}

/** Longer than the longest response timeout. */
const SHORT_MS = 35_000;
/** Longer than two and a half heartbeats of 30 s, plus the check every five seconds. */
const SILENT_MS = 92_000;
/** Longer than an endless response may last, 50 s on these lines, including the slot that it occupies first. */
const ENDLESS_MS = 75_000;
const first = (number: string, trouble: Trouble): FaultSpec => ({ number, trouble, wave: 1, lastsMs: SHORT_MS });
const second = (number: string, trouble: Trouble, lastsMs = SHORT_MS): FaultSpec => ({ number, trouble, wave: 2, lastsMs });

export const FAULTS: Record<string, FaultSpec> = {
  'line-drops': first('F1', { of: 'line', everyMs: 6_000 }),
  'drops-every-second': first('F1', { of: 'line', everyMs: 1_000 }),
  torn: first('F1', { of: 'dcu', kind: 'torn', count: 8 }),
  trickle: first('F3', { of: 'dcu', kind: 'trickle', count: 2 }),
  slow: first('F3', { of: 'dcu', kind: 'slow', delayMs: 300 }),
  'garbage-dcu': first('F5', { of: 'dcu', kind: 'garbage', count: 6 }),
  overlong: first('F6', { of: 'dcu', kind: 'overlong', count: 2 }),
  glued: first('F7', { of: 'dcu', kind: 'glued' }),
  sliced: first('F7', { of: 'dcu', kind: 'sliced' }),
  'twice-sent': first('F7', { of: 'dcu', kind: 'twice' }),
  silence: first('F4', { of: 'meter', kind: 'silence' }),
  drop: first('F4', { of: 'meter', kind: 'drop', count: 6 }),
  garbage: first('F5', { of: 'meter', kind: 'garbage', count: 6 }),
  'wrong-block': first('F9', { of: 'meter', kind: 'wrong_block', count: 4, who: 'plain' }),
  'same-block': first('F9', { of: 'meter', kind: 'same_block', count: 4, who: 'plain' }),
  'no-last-block': first('F9', { of: 'meter', kind: 'no_last_block', count: 4, who: 'plain' }),
  'stale-invoke': first('F10', { of: 'meter', kind: 'stale_invoke', count: 4, who: 'plain' }),
  deny: first('F11', { of: 'meter', kind: 'deny', count: 6 }),
  exception: first('F11', { of: 'meter', kind: 'exception', count: 6 }),
  'wrong-key': first('F12', { of: 'meter', kind: 'wrong_key', targets: 3 }),
  replay: first('F13', { of: 'meter', kind: 'replay', count: 4, who: 'ciphered' }),
  'counter-ahead': first('F15', { of: 'meter', kind: 'counter_ahead', count: 1, who: 'ciphered' }),
  'bit-flip': first('F16', { of: 'meter', kind: 'bit_flip', count: 4, who: 'ciphered' }),
  'wrong-clock': first('F20', { of: 'meter', kind: 'wrong_stamps', count: 4 }),
  'lost-meter': first('F26', { of: 'place', what: 'lost' }),
  'lost-switch': first('F30', { of: 'meter', kind: 'lost_switch', count: 1 }),
  'pushed-again': first('F17', { of: 'pushes', from: 'meters' }),
  strangers: first('F18', { of: 'pushes', from: 'strangers' }),
  'twice-ordered': first('F32', { of: 'caller' }),
  'foreign-meter': first('', { of: 'foreign' }),
  'kill-server': first('F31, F35', { of: 'server', what: 'killed' }),
  'stalled-server': first('F41', { of: 'server', what: 'stalled' }),
  'no-descriptors': first('F40', { of: 'server', what: 'crowded' }),

  'half-open': second('F2', { of: 'dcu', kind: 'half_open' }, SILENT_MS),
  'silent-dcu': second('F4', { of: 'dcu', kind: 'silence' }, SILENT_MS),
  'absent-dcu': second('F25', { of: 'dcu', kind: 'absent' }),
  imposter: second('F19', { of: 'imposter' }),
  'endless-blocks': second('F9', { of: 'meter', kind: 'endless_blocks', targets: 1 }, ENDLESS_MS),
  'endless-small-blocks': second('F9', { of: 'meter', kind: 'endless_blocks', octets: 1, targets: 1 }, ENDLESS_MS),
  'endless-octets': second('F9', { of: 'dcu', kind: 'quick_line' }, ENDLESS_MS),
  crossed: second('F10', { of: 'meter', kind: 'crossed', who: 'ciphered' }),
  'crossed-plain': second('F10', { of: 'meter', kind: 'crossed', who: 'none', targets: 1 }),
  rollover: second('F23', { of: 'meter', kind: 'rollover', isChange: true }),
  'full-register': second('F23', { of: 'meter', kind: 'full_register' }),
  'other-scaler': second('F23', { of: 'meter', kind: 'other_scaler', isChange: true }),
  'exchanged-meter': second('F23', { of: 'place', what: 'exchanged' }),
  'other-layout': second('F24', { of: 'meter', kind: 'other_layout', isChange: true }),
  'layout-between-reads': second('F24', { of: 'meter', kind: 'other_layout', skip: 1, isChange: true, targets: 1 }),
  'other-period': second('F24', { of: 'meter', kind: 'other_period', isChange: true }),
  'moved-meter': second('F26', { of: 'place', what: 'moved' }),
  'new-keys': second('F12', { of: 'parameter', what: 'keys' }),
  'new-type': second('F12', { of: 'parameter', what: 'type' }),
  'new-firmware': second('F24', { of: 'parameter', what: 'firmware' }),
  'clock-ahead': second('F22', { of: 'server', what: 'ahead' }),
  'clock-behind': second('F22', { of: 'server', what: 'behind' }),
  'kill-database': second('F34', { of: 'database', what: 'SIGKILL' }),
  'stop-database': second('F34', { of: 'database', what: 'SIGQUIT' }),
  'full-disk': second('F36', { of: 'database', what: 'full' }),
  'locked-database': second('F38', { of: 'database', what: 'locked' }),
  'slow-database': second('F38', { of: 'database', what: 'slow' }),
  'ended-connections': second('F38', { of: 'database', what: 'ended' }),
  'cut-after-commit': second('F39', { of: 'database', what: 'cut' }),
};

const ofNodes = (number: string, what: (Trouble & { of: 'node' })['what']): FaultSpec => first(number, { of: 'node', what });

/** Faults of several head-ends on one database. */
export const NODE_FAULTS: Record<string, FaultSpec> = {
  'kill-node': ofNodes('N1', 'killed'),
  'pause-node': ofNodes('N2', 'paused'),
  'partition-database': ofNodes('N3', 'cut off'),
  'partition-bus': ofNodes('N4', 'deaf'),
  failover: ofNodes('N5', 'failed over'),
  'rolling-restart': ofNodes('N6', 'restarted'),
  'mixed-versions': ofNodes('N7', 'of two versions'),
};

/** Whether a fault strikes a process or connection of a single head-end, which a campaign over several ones does not have. */
export const isOfOneHeadEnd = ({ trouble }: FaultSpec): boolean => trouble.of === 'server' || trouble.of === 'database';

export const faultOf = (name: string): FaultSpec | undefined => FAULTS[name] ?? NODE_FAULTS[name];
