import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';
import { commissioningOf, type Commissioning, type DialAddress } from '#control/commissioning.ts';
import { startControlApi } from '#control/control-api.ts';
import { createFaults, type Faults } from '#control/faults.ts';
import { createOracleLog, appendJsonLines } from '#control/oracle-log.ts';
import { createRecordings } from '#control/recordings.ts';
import { createWorldClock, type WorldClock } from '#control/world-clock.ts';
import { createAuthority, pemOf, type Authority } from '#devices/authority.ts';
import { newTally, REFERENCE_MODEL, type DcuModel, type DialPace, type FleetContext, type Tally } from '#devices/context.ts';
import { Dcu } from '#devices/dcu.ts';
import type { DcuArchive } from '#devices/dcu-archive.ts';
import { dialIn } from '#devices/dial-in.ts';
import { DirectMeters } from '#devices/direct-meters.ts';
import { createFirmwareRegistry, type FirmwareRegistry } from '#devices/firmware.ts';
import type { PushTarget } from '#devices/push-line.ts';
import { startPushSchedule } from '#devices/push-schedule.ts';
import { replaceMeter } from '#devices/replace-meter.ts';
import { startFreezePushes } from '#devices/freeze-pushes.ts';
import { createKeyring } from '#devices/keyring.ts';
import { titleOfMeter } from '#devices/keys.ts';
import { listen } from '#devices/listen.ts';
import { securityOf, type FleetAuthentication } from '#devices/rules.ts';
import type { FleetLanguage } from '#world/names.ts';
import { newNetworkState } from '#world/network.ts';
import type { DirectScale, WorldSize } from '#world/scale.ts';
import { createWorld, type World } from '#world/world.ts';

export interface SimulationOptions {
  seed?: number;
  /** Default: the test fleet. */
  scale?: WorldSize;
  /** Language of the names of places, devices and customers. Default: English. */
  language?: FleetLanguage | undefined;
  /** Direct meters in addition to those behind DCUs. Default: none. */
  directMeters?: DirectScale | undefined;
  /** Where devices dial in; when absent, none dials. */
  headEnd?: PushTarget;
  /** Seconds between two pushes of each direct meter. Default: they push when the control API says so. */
  pushSeconds?: number | undefined;
  /** 0: any free port. */
  controlPort?: number;
  /** Bearer token that callers of the control API must send; when absent, the API is open. */
  controlSecret?: string;
  /** First port of the DCUs that are dialled; 0: any free port. */
  dialledPort?: number;
  /** `fast`: no latency and no loss. */
  channel?: 'realistic' | 'fast';
  /** See `FleetContext`. */
  lineSpeed?: number | undefined;
  authentication?: FleetAuthentication | undefined;
  /** See `FleetContext`. */
  hasShortNames?: boolean | undefined;
  /** Octets of an APDU that DCUs forward, as declared in the archive. */
  apduSize?: number | undefined;
  heartbeatSeconds?: number;
  dialPace?: DialPace | undefined;
  /** Default: reference DCUs. */
  dcuModel?: Partial<DcuModel> | undefined;
  /** Time zone that device clocks show; default: that of the test fleet. */
  timeZone?: string | undefined;
  /** File to which the oracle log of counters and switched relays is appended. */
  oracleFile?: string | undefined;
  /** Folder of certificates with which DCUs speak TLS, see `certificatesOf`; default: plain TCP. */
  tlsFolder?: string | undefined;
  /** File that persists keys which devices have received; without it a restart restores the factory keys. */
  keysFile?: string | undefined;
  /** True time of the simulated world, epoch milliseconds. */
  now?: () => number;
}

export interface Simulation {
  world: World;
  controlPort: number;
  /** Built on first access: a fleet of thousands avoids a second copy of its archive. */
  readonly commissioning: Commissioning;
  faults: Faults;
  clock: WorldClock;
  firmware: FirmwareRegistry;
  tally: Tally;
  dcus: readonly Dcu[];
  authority: Authority;
  /** Certificates of the authority and of all meters that sign. PEM. */
  certificates(): string;
  stop(): Promise<void>;
}

const DEFAULT_SEED = 1;
const DEFAULT_HEARTBEAT_S = 60;
/** APDU size in the archive; the larger value keeps it from limiting benchmarks. */
const APDU_SIZE = { realistic: 4096, fast: 16_384 } as const;

/** Builds the world, starts the listeners and dial-in loops of its DCUs, and opens the control API. */
export async function startSimulation(options: SimulationOptions = {}): Promise<Simulation> {
  const world = createWorld(options.seed ?? DEFAULT_SEED, options.scale, options.timeZone, options.directMeters, options.language);
  const clock = createWorldClock(options.now ?? Date.now);
  const faults = createFaults();
  const recordings = createRecordings();
  const channel = options.channel ?? 'realistic';
  const firmware = createFirmwareRegistry(faults, channel);
  const authority = createAuthority(world.plan.seed);
  const context: FleetContext = {
    world,
    faults,
    recordings,
    firmware,
    keys: createKeyring(world.plan.seed, options.keysFile, (sn) => suiteOf(world, sn, options.authentication)),
    authority,
    // Only the demonstration has random network trouble; tests inject their own.
    network: newNetworkState((options.scale === 'utility' || options.scale === 'utility-even') && options.channel !== 'fast'),
    now: clock.now,
    channel,
    lineSpeed: options.lineSpeed,
    tally: newTally(),
    dcuModel: { ...REFERENCE_MODEL, ...options.dcuModel },
    foreign: new Map(),
    authentication: options.authentication ?? 'gmac',
    hasShortNames: options.hasShortNames,
    heartbeatSeconds: options.heartbeatSeconds ?? DEFAULT_HEARTBEAT_S,
    dialPace: options.dialPace ?? {},
    tlsFolder: options.tlsFolder,
    oracle: options.oracleFile === undefined ? undefined : createOracleLog(appendJsonLines(options.oracleFile), clock.now),
  };
  const dcus = world.plan.dcus.filter((plan) => !plan.isAbsent).map((plan) => new Dcu(context, plan));
  const directMeters = new DirectMeters(context, options.headEnd);
  const archiveOf = (sn: string): DcuArchive | undefined => dcus.find((one) => one.plan.sn === sn)?.archive;
  const running: { stop(): unknown }[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(running.map((part) => part.stop())));
  try {
    const firstPort = options.dialledPort ?? 0;
    const addresses = await listenAll(dcus, { firstPort, tlsFolder: options.tlsFolder }, running);
    running.push(directMeters);
    await directMeters.listen(firstPort === 0 ? 0 : firstPort + addresses.size);
    const { timeZone } = world.localTime;
    const { heartbeatSeconds, authentication } = context;
    const settings = {
      heartbeatSeconds,
      authentication,
      keys: context.keys,
      apduSize: options.apduSize ?? APDU_SIZE[context.channel],
      timeZone,
      language: options.language,
      isPlainGateway: context.dcuModel.isPlainGateway,
    };
    const commissioning = (): Commissioning =>
      commissioningOf(world.plan, settings, ({ sn }) => addresses.get(sn) ?? directMeters.addressOf(sn));
    let kept: Commissioning | undefined;
    const controlApi = await startControlApi(
      {
        world,
        commissioning,
        authority,
        certificates: () => certificatesOf(context),
        faults,
        tally: context.tally,
        foreign: context.foreign,
        recordings,
        firmware,
        clock,
        network: context.network,
        meter: (sn) => directMeters.get(sn)?.meter ?? dcus.map((dcu) => dcu.meter(sn)).find((one) => one !== undefined),
        archive: archiveOf,
        replaceMeter(meter, atMs, isRecorded) {
          const archive = isRecorded ? archiveOf(context.network.moved.get(meter.sn) ?? meter.dcu.sn) : undefined;
          const successor = replaceMeter(context, meter, { atMs, archive });
          if (successor.isDirect === true) void directMeters.replace(meter.sn, successor);
        },
        connected: () => [...dcus, ...directMeters.all()].filter((device) => device.isConnected()).map((device) => device.sn),
        alarm(dcuSn, meterSn, numbers) {
          directMeters.get(dcuSn)?.sendAlarms(numbers);
          const dcu = dcus.find((one) => one.plan.sn === dcuSn);
          dcu?.sendAlarms(meterSn, numbers);
          return dcu !== undefined || directMeters.get(dcuSn) !== undefined;
        },
        push(sn, number, blocks) {
          if (directMeters.get(sn) !== undefined) return directMeters.push(sn, number);
          const at = context.network.moved.get(sn) ?? world.meterBySn.get(sn)?.dcu.sn;
          return dcus.find((one) => one.plan.sn === at)?.push(sn, number, blocks) ?? false;
        },
        disconnect(sn) {
          const device = directMeters.get(sn) ?? dcus.find((one) => one.plan.sn === sn);
          device?.disconnect();
          return device !== undefined;
        },
      },
      options.controlPort ?? 0,
      options.controlSecret,
    );
    running.push({ stop: () => controlApi.close() });
    // Only the realistic channel pushes by schedule; tests trigger their pushes.
    if (channel === 'realistic') running.push(startFreezePushes(context, new Map(dcus.map((dcu) => [dcu.plan.sn, dcu]))));
    const { headEnd } = options;
    if (headEnd) for (const dcu of dcus) if (dcu.plan.connectionType === 'dial_in') running.push(dialIn(context, dcu, headEnd));
    directMeters.dial();
    if (options.pushSeconds !== undefined) running.push(startPushSchedule(context, directMeters, 1000 * options.pushSeconds));
    return {
      world,
      controlPort: controlApi.port,
      faults,
      clock,
      firmware,
      tally: context.tally,
      dcus,
      authority,
      certificates: () => certificatesOf(context),
      stop,
      get commissioning() {
        return (kept ??= commissioning());
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The suite of a meter; DCUs have suite 0. */
const suiteOf = ({ meterBySn }: World, sn: string, authentication: FleetAuthentication = 'gmac'): SecuritySuite => {
  const meter = meterBySn.get(sn);
  return meter === undefined ? 0 : securityOf(meter, authentication).suite;
};

function certificatesOf({ world, authority, authentication }: FleetContext): string {
  const devices = world.plan.meters.flatMap((meter) => {
    const { suite } = securityOf(meter, authentication);
    return suite === 0 ? [] : [authority.certificateOf({ sn: meter.sn, systemTitle: titleOfMeter(meter) }, suite)];
  });
  return [authority.certificate(1), authority.certificate(2), ...devices].map(pemOf).join('');
}

async function listenAll(
  dcus: readonly Dcu[],
  { firstPort, tlsFolder }: { firstPort: number; tlsFolder: string | undefined },
  running: { stop(): unknown }[],
): Promise<Map<string, DialAddress>> {
  const addresses = new Map<string, DialAddress>();
  for (const dcu of dcus) {
    if (dcu.plan.connectionType !== 'dial_out') continue;
    const listener = await listen(dcu, firstPort === 0 ? 0 : firstPort + addresses.size, tlsFolder);
    running.push(listener);
    addresses.set(dcu.plan.sn, { host: listener.host, port: listener.port });
  }
  return addresses;
}
