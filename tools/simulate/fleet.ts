import type { Testimony, Witness } from '../../apps/simulator/src/control/witness.ts';
import { createWitness } from '../../apps/simulator/src/control/witness.ts';
import { commissioningOf, type Commissioning } from '../../apps/simulator/src/control/commissioning.ts';
import { createFaults, type Faults } from '../../apps/simulator/src/control/faults.ts';
import { createRecordings } from '../../apps/simulator/src/control/recordings.ts';
import type { FleetContext } from '../../apps/simulator/src/devices/context.ts';
import { createDcu, type Dcu } from '../../apps/simulator/src/devices/dcu.ts';
import { dialIn } from '../../apps/simulator/src/devices/dial-in.ts';
import { createFirmwareShelf } from '../../apps/simulator/src/devices/firmware.ts';
import { newNetworkState } from '../../apps/simulator/src/world/network.ts';
import { createWorld, type World } from '../../apps/simulator/src/world/world.ts';
import type { Machine } from './machine.ts';

export const SCALE = '2x3';
export const WORLD_SEED = 1;
export const TIME_ZONE = 'Asia/Shanghai';
export const HEARTBEAT_S = 30;

let shared: World | undefined;
/** One world for all seeds: it is a function of its seed and never changes. */
export const worldOfAll = (): World => (shared ??= createWorld(WORLD_SEED, { dcus: 2, metersPerDcu: 3 }, TIME_ZONE));

export interface FleetOptions {
  authentication: 'gmac' | 'mixed';
  lineSpeed: number | undefined;
  apduSize: number;
}

export interface Fleet {
  faults: Faults;
  dcus: readonly Dcu[];
  network: FleetContext['network'];
  commissioning: Commissioning;
  testimonies: Testimony[];
}

/** DCUs and meters of the simulator, without its control door; they dial the head-end as soon as time passes. */
export function createFleet(machine: Machine, options: FleetOptions, dlmsPort: number): Fleet {
  const world = worldOfAll();
  const faults = createFaults();
  const testimonies: Testimony[] = [];
  const now = () => machine.trueMs;
  const witness: Witness = createWitness((testimony) => testimonies.push(testimony), now);
  const context: FleetContext = {
    world,
    faults,
    recordings: createRecordings(),
    firmware: createFirmwareShelf(faults, 'fast'),
    network: newNetworkState(false),
    now,
    channel: 'fast',
    lineSpeed: options.lineSpeed,
    tally: { blocks: 0 },
    authentication: options.authentication,
    heartbeatSeconds: HEARTBEAT_S,
    witness,
  };
  const dcus = world.plan.dcus.map((plan) => createDcu(context, plan));
  for (const dcu of dcus) dialIn(context, dcu, { host: '127.0.0.1', port: dlmsPort });
  const settings = { heartbeatSeconds: HEARTBEAT_S, apduSize: options.apduSize, timeZone: TIME_ZONE, authentication: options.authentication };
  return { faults, dcus, network: context.network, testimonies, commissioning: commissioningOf(world.plan, settings, () => undefined) };
}
