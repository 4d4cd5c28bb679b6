import type { FaultKind } from '../../apps/simulator/src/control/faults.ts';
import { Random } from '../fuzz/random.ts';
import type { StatementFault } from './database/pool.ts';
import type { FleetOptions } from './fleet.ts';

/** Kinds of orders, with their relative frequency. */
export type OrderKind = 'collect' | 'lpa' | 'energy' | 'registers' | 'relay_disconnect' | 'relay_connect';

export interface PlannedOrder {
  atMs: number;
  kind: OrderKind;
  /** Positions in the list of meters. */
  meters: number[];
  /** A later action of an operator on the task. */
  change: { what: 'pause' | 'cancel' | 'retry'; afterMs: number } | undefined;
}

/** A fault of the simulated field from a moment on, for a while or a number of effects. */
export interface FieldFault {
  of: 'field';
  kind: FaultKind;
  on: 'dcu' | 'meter';
  target: number;
  atMs: number;
  lastsMs: number;
  count: number | undefined;
  delayMs: number | undefined;
}

export type PlannedFault =
  | FieldFault
  | { of: 'server'; atMs: number; how: 'killed' | 'powerless' | 'stopped'; downMs: number }
  | { of: 'server at'; statement: number; how: 'killed'; downMs: number }
  /** The server dies right after it has marked a relay command as sent. */
  | { of: 'relay'; downMs: number }
  | { of: 'database'; atMs: number; downMs: number }
  | { of: 'statement'; statement: number; fault: StatementFault; times: number }
  | { of: 'commit'; count: number; fault: 'before' | 'after' }
  | { of: 'line'; atMs: number; how: 'reset' | 'silent'; target: number }
  | { of: 'slowness'; atMs: number; lastsMs: number; factor: number }
  | { of: 'clock'; atMs: number; whose: 'server' | 'database'; byMs: number };

export interface Round {
  orders: PlannedOrder[];
  faults: PlannedFault[];
}

/** All decisions of a seed other than the scheduling. */
export interface Plan {
  seed: number;
  fleet: FleetOptions;
  /** Minutes after the beginning of the simulated day. */
  minute: number;
  rounds: [Round, Round];
  /** Change between the rounds, with the time jumps before and after it. */
  alteration: PlannedAlteration | undefined;
  passesMs: [before: number, after: number];
}

const DCUS = 2;
const METERS = 6;
/** The meter without client authentication, in a fleet with several mechanisms. */
const UNCIPHERED_METER = 1;
const ROUND_MS = 30_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than two and a half heartbeats, after which an unresponsive DCU is set offline. */
const LONGER_THAN_HEARTBEATS_MS = 95_000;

interface Kind {
  kind: FaultKind;
  on: 'dcu' | 'meter';
  /** Number of effects; absent: for its whole duration. */
  count?: [number, number];
  lastsMs?: number;
  delayMs?: number;
}

/** Faults of meters and DCUs that can be combined. */
const KINDS: readonly Kind[] = [
  { kind: 'torn', on: 'dcu', count: [1, 3] },
  { kind: 'half_open', on: 'dcu', lastsMs: LONGER_THAN_HEARTBEATS_MS },
  { kind: 'silence', on: 'dcu', lastsMs: 40_000 },
  { kind: 'drop', on: 'dcu', count: [1, 4] },
  { kind: 'garbage', on: 'dcu', count: [1, 2] },
  { kind: 'trickle', on: 'dcu', count: [1, 1] },
  { kind: 'overlong', on: 'dcu', count: [1, 1] },
  { kind: 'slow', on: 'dcu', count: [1, 8], delayMs: 1_500 },
  { kind: 'slow', on: 'meter', count: [2, 5], delayMs: 25_000 },
  { kind: 'sliced', on: 'dcu', count: [1, 6] },
  { kind: 'glued', on: 'dcu', count: [1, 6] },
  { kind: 'twice', on: 'dcu', count: [1, 6] },
  { kind: 'silence', on: 'meter', lastsMs: 30_000 },
  { kind: 'drop', on: 'meter', count: [1, 4] },
  { kind: 'garbage', on: 'meter', count: [1, 3] },
  { kind: 'deny', on: 'meter', count: [1, 3] },
  { kind: 'exception', on: 'meter', count: [1, 3] },
  { kind: 'wrong_key', on: 'meter', lastsMs: 20_000 },
  { kind: 'replay', on: 'meter', count: [1, 2] },
  { kind: 'counter_ahead', on: 'meter', count: [1, 1] },
  { kind: 'bit_flip', on: 'meter', count: [1, 3] },
  { kind: 'wrong_stamps', on: 'meter', count: [1, 3] },
  { kind: 'endless_blocks', on: 'meter', lastsMs: 20_000 },
  { kind: 'stale_invoke', on: 'meter', count: [1, 2] },
  { kind: 'wrong_block', on: 'meter', count: [1, 2] },
  { kind: 'same_block', on: 'meter', count: [1, 2] },
  { kind: 'no_last_block', on: 'meter', count: [1, 2] },
  { kind: 'crossed', on: 'meter', count: [1, 30] },
  { kind: 'lost_switch', on: 'meter', count: [1, 1] },
];

/** Permanent changes of a meter between the two rounds. */
const ALTERATIONS = ['other_layout', 'other_scaler', 'other_period'] as const;

export interface PlannedAlteration {
  kind: (typeof ALTERATIONS)[number];
  /** Position in the list of meters. */
  target: number;
}

/** Draws the events of a seed, independent of the product. */
export function planOf(seed: number): Plan {
  const random = new Random(Math.imul(seed, 0x85ebca6b) ^ 0x2545f491);
  for (let warm = 0; warm < 8; warm++) random.uint32();
  const chance = (share: number): boolean => random.uint32() / 0x1_0000_0000 < share;
  const between = (from: number, to: number): number => from + random.below(to - from + 1);
  const fleet: FleetOptions = {
    authentication: chance(0.6) ? 'mixed' : 'gmac',
    lineSpeed: chance(0.25) ? 40 : undefined,
    apduSize: random.pick([512, 1024, 4096]),
  };
  const draw: Draw = { random, chance, between };
  const roundOf = (number: number): Round => {
    const orders = Array.from({ length: between(1, 3) }, () => orderOf(draw));
    const faults = chance(0.08) ? [] : Array.from({ length: between(1, 3) }, () => faultOf(draw, number));
    if (chance(0.06)) {
      faults.push({ of: 'relay', downMs: between(100, 6_000) });
      orders.push({ atMs: between(0, ROUND_MS / 3), kind: 'relay_disconnect', meters: [random.below(METERS)], change: undefined });
    }
    return { orders, faults };
  };
  const rounds: [Round, Round] = [roundOf(0), roundOf(1)];
  const alteration = chance(0.35) ? { kind: random.pick(ALTERATIONS), target: random.below(METERS) } : undefined;
  // A change is only visible in data that is read before and after it.
  if (alteration !== undefined)
    for (const { orders } of rounds)
      orders.push({ atMs: between(0, ROUND_MS / 3), kind: 'collect', meters: [alteration.target], change: undefined });
  const passesMs: [number, number] = [chance(0.5) ? 0 : between(1, 40) * MINUTE_MS, between(16, 75) * MINUTE_MS];
  return { seed, fleet, minute: between(60, 420), rounds, alteration, passesMs };
}

interface Draw {
  random: Random;
  chance(share: number): boolean;
  between(from: number, to: number): number;
}

function orderOf({ random, chance, between }: Draw): PlannedOrder {
  const kind = random.pick<OrderKind>(['collect', 'collect', 'lpa', 'energy', 'registers', 'relay_disconnect', 'relay_connect']);
  const count = kind.startsWith('relay') ? 1 : between(1, 3);
  const meters = [...new Set(Array.from({ length: count }, () => random.below(METERS)))];
  const change = chance(0.15) ? { what: random.pick(['pause', 'cancel', 'retry'] as const), afterMs: between(50, 8_000) } : undefined;
  return { atMs: between(0, ROUND_MS / 3), kind, meters, change };
}

function faultOf(draw: Draw, round: number): PlannedFault {
  const { random, chance, between } = draw;
  const atMs = between(0, ROUND_MS / 2);
  const dice = random.below(100);
  if (dice < 52) return fieldFault(draw, atMs);
  if (dice < 60)
    return { of: 'server', atMs, how: random.pick(['killed', 'killed', 'powerless', 'stopped'] as const), downMs: between(100, 6_000) };
  // Most statements of a round come first: later the queue is only polled once a second.
  if (dice < 70) return { of: 'server at', statement: between(10, 200), how: 'killed', downMs: between(100, 6_000) };
  if (dice < 75) return { of: 'database', atMs, downMs: between(100, 9_000) };
  if (dice < 85)
    return {
      of: 'statement',
      statement: between(5, 200),
      fault: random.pick(['before', 'after', 'conflict', 'slow'] as const),
      times: between(1, 3),
    };
  if (dice < 89) return { of: 'commit', count: between(1, 4), fault: chance(0.5) ? 'before' : 'after' };
  if (dice < 93) return { of: 'line', atMs, how: chance(0.5) ? 'reset' : 'silent', target: random.below(DCUS) };
  if (dice < 96) return { of: 'slowness', atMs, lastsMs: between(2_000, 20_000), factor: between(4, 40) };
  const byMs = random.pick([-HOUR_MS, HOUR_MS, -10 * MINUTE_MS, 10 * MINUTE_MS]);
  return { of: 'clock', atMs, whose: round === 0 || chance(0.5) ? 'server' : 'database', byMs };
}

function fieldFault({ random, between }: Draw, atMs: number): FieldFault {
  const drawn = random.pick(KINDS);
  // An endless response takes as long as a hundred other seeds, so it is drawn less often.
  const { kind, on, count, lastsMs, delayMs } = drawn.kind === 'endless_blocks' && random.below(5) > 0 ? random.pick(KINDS) : drawn;
  return {
    of: 'field',
    kind,
    on,
    target: kind === 'crossed' && random.below(2) === 0 ? UNCIPHERED_METER : random.below(on === 'dcu' ? DCUS : METERS),
    atMs,
    lastsMs: lastsMs ?? 60_000,
    count: count === undefined ? undefined : between(...count),
    delayMs,
  };
}
