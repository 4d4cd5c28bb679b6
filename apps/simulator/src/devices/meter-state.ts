import type { RelayState } from '#behaviours/relay.ts';
import type { LocalTime } from '#world/local-time.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { World } from '#world/world.ts';
import type { Alterations } from './alterations.ts';
import type { DeviceFirmware } from './firmware.ts';
import type { DeviceKeys } from './keys.ts';

/** What one simulated meter remembers. All that it measures comes from the world. */
export interface MeterState {
  world: World;
  plan: MeterPlan;
  /** True time, epoch milliseconds. */
  now(): number;
  /** How the rows of the next answer are stamped when its clock was wrong as they were captured; undefined: as they should be. */
  wrongStamps(): ((at: number) => number) | undefined;
  /** What has been changed in it since it left the factory. */
  alterations(): Alterations;
  /** How far its clock is ahead. */
  aheadMs: number;
  /** What its clock shows. */
  local: LocalTime;
  relay: RelayState;
  firmware: DeviceFirmware;
  systemTitle: Uint8Array;
  /** Wraps the keys that it is given. */
  masterKey: Uint8Array;
  /** It uses these keys from the next association on. */
  takeKeys(keys: Partial<DeviceKeys>): void;
  /** Highest counter accepted from a client, which a client that lost count may read in the clear; 0 when there was none. */
  lastClientCounter(): number;
}
