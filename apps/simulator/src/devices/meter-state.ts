import type { RelayState } from '#behaviours/relay.ts';
import type { LocalTime } from '#world/local-time.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { World } from '#world/world.ts';
import type { Alterations } from './alterations.ts';
import type { DeviceFirmware } from './firmware.ts';
import type { DeviceKeys } from './keys.ts';

/** The state of one simulated meter. All measured values come from the world. */
export interface MeterState {
  world: World;
  plan: MeterPlan;
  /** True time, epoch milliseconds. */
  now(): number;
  /** Time stamps of the rows of the next response if the clock was wrong at their capture; undefined: correct stamps. */
  wrongStamps(): ((at: number) => number) | undefined;
  /** Changes since it left the factory. */
  alterations(): Alterations;
  /** Clock deviation in milliseconds; positive: ahead. */
  aheadMs: number;
  /** Local time of the clock. */
  local: LocalTime;
  relay: RelayState;
  firmware: DeviceFirmware;
  systemTitle: Uint8Array;
  /** Unwraps transferred keys. */
  masterKey: Uint8Array;
  /** Replaces keys; they apply from the next association on. */
  takeKeys(keys: Partial<DeviceKeys>): void;
  /** Highest invocation counter accepted from a client, readable without ciphering by a client that lost its counter; 0 if none. */
  lastClientCounter(): number;
}
