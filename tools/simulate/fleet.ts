import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { createOracleLog, type OracleEntry, type OracleLog } from '../../apps/simulator/src/control/oracle-log.ts';
import { commissioningOf, type Commissioning } from '../../apps/simulator/src/control/commissioning.ts';
import { createFaults, type Faults } from '../../apps/simulator/src/control/faults.ts';
import { createRecordings } from '../../apps/simulator/src/control/recordings.ts';
import { newTally, REFERENCE_MODEL, type FleetContext } from '../../apps/simulator/src/devices/context.ts';
import { Dcu } from '../../apps/simulator/src/devices/dcu.ts';
import { dialIn } from '../../apps/simulator/src/devices/dial-in.ts';
import { createAuthority } from '../../apps/simulator/src/devices/authority.ts';
import { createKeyring } from '../../apps/simulator/src/devices/keyring.ts';
import { createFirmwareRegistry } from '../../apps/simulator/src/devices/firmware.ts';
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
  commissioning: Commissioning;
  oracleEntries: OracleEntry[];
  /** Commands to the relay of a meter that were on the wire, by serial number: those sent in the clear and those that were deciphered. */
  relayOrders: () => ReadonlyMap<string, number>;
}

/** An ACTION of a disconnect control (class 70). */
const RELAY_ACTION = /^c301..0046/;
const GATEWAY_REQUEST = 0xe6;
/** Octets that identify the object of a request. */
const HEAD_OCTETS = 5;
const isRelayAction = (apdu: Uint8Array): boolean => RELAY_ACTION.test(Buffer.from(apdu.subarray(0, HEAD_OCTETS)).toString('hex'));

interface Counting {
  plain: Map<string, number>;
  opened: Map<string, number>;
  onRelayOrder: (sn: string) => void;
}

/** Extends the oracle log with counters of relay commands: those sent in the clear, lost ones included, and those that a meter deciphered. */
function createCountingLog(log: OracleLog, { plain, opened, onRelayOrder }: Counting): OracleLog {
  const add = (counts: Map<string, number>, sn: string): void => {
    counts.set(sn, (counts.get(sn) ?? 0) + 1);
    onRelayOrder(sn);
  };
  return {
    ...log,
    recordRequest(dcuSn, apdu) {
      log.recordRequest(dcuSn, apdu);
      if (apdu[0] !== GATEWAY_REQUEST) return;
      const frame = decodeGateway(apdu);
      if (frame !== undefined && isRelayAction(frame.apdu)) add(plain, String.fromCharCode(...frame.address));
    },
    recordPlain(sn, apdu) {
      log.recordPlain(sn, apdu);
      if (isRelayAction(apdu)) add(opened, sn);
    },
  };
}

/** DCUs and meters of the simulator without its control API; they dial the head-end as soon as time passes. */
export function createFleet(machine: Machine, options: FleetOptions, dlmsPort: number, onRelayOrder: (sn: string) => void): Fleet {
  const world = worldOfAll();
  const faults = createFaults();
  const oracleEntries: OracleEntry[] = [];
  const now = () => machine.trueMs;
  const [plain, opened] = [new Map<string, number>(), new Map<string, number>()];
  const oracle = createCountingLog(
    createOracleLog((entry) => oracleEntries.push(entry), now),
    { plain, opened, onRelayOrder },
  );
  const relayOrders = (): ReadonlyMap<string, number> =>
    new Map([...new Set([...plain.keys(), ...opened.keys()])].map((sn) => [sn, Math.max(plain.get(sn) ?? 0, opened.get(sn) ?? 0)]));
  const context: FleetContext = {
    world,
    faults,
    recordings: createRecordings(),
    firmware: createFirmwareRegistry(faults, 'fast'),
    network: newNetworkState(false),
    keys: createKeyring(WORLD_SEED),
    authority: createAuthority(WORLD_SEED),
    now,
    channel: 'fast',
    lineSpeed: options.lineSpeed,
    dcuModel: REFERENCE_MODEL,
    tally: newTally(),
    foreign: new Map(),
    tlsFolder: undefined,
    authentication: options.authentication,
    heartbeatSeconds: HEARTBEAT_S,
    dialPace: {},
    oracle,
  };
  const dcus = world.plan.dcus.map((plan) => new Dcu(context, plan));
  for (const dcu of dcus) dialIn(context, dcu, { host: '127.0.0.1', port: dlmsPort });
  const settings = {
    heartbeatSeconds: HEARTBEAT_S,
    apduSize: options.apduSize,
    timeZone: TIME_ZONE,
    authentication: options.authentication,
  };
  return { faults, oracleEntries, relayOrders, commissioning: commissioningOf(world.plan, settings, () => undefined) };
}
