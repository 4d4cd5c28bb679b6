import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { data as dataClass } from '@hes/dlms/cosem/classes/data.ts';
import { tcpUdpSetup } from '@hes/dlms/cosem/classes/tcp-udp-setup.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { asciiOctets } from '#behaviours/data.ts';
import type { Calling } from '#behaviours/uplink.ts';
import { simulate, type SimulatedObject } from './simulate.ts';

const number = (type: 'unsigned' | 'longUnsigned' | 'enum', value: number): Data => ({ type, value });
const flag = (value: boolean): Data => ({ type: 'boolean', value });

/** Factory settings of a DCU by the E field of the parameters' logical names; see docs/dcu-profile.md. */
const FACTORY: readonly [place: number, value: Data, kind?: 'link' | 'fixed'][] = [
  [1, asciiOctets('HES-DC')],
  [2, asciiOctets('')],
  [3, asciiOctets('DC3-B'), 'fixed'],
  [10, asciiOctets('hes.utility'), 'link'],
  [11, asciiOctets('headend.utility.example'), 'link'],
  [12, number('longUnsigned', 4059), 'link'],
  [13, number('enum', 0), 'link'],
  [14, number('longUnsigned', 60)],
  [20, asciiOctets('ntp.utility.example')],
  [21, number('longUnsigned', 60)],
  [22, flag(true)],
  [30, number('unsigned', 5)],
  [31, asciiOctets('suite 0, own keys'), 'fixed'],
  [40, number('enum', 0)],
  [41, number('longUnsigned', 7)],
  [42, number('longUnsigned', 1024)],
  [43, number('unsigned', 12)],
  [50, asciiOctets('00:30')],
  [51, number('unsigned', 10)],
  [52, number('unsigned', 3)],
  [60, flag(true)],
  [61, number('longUnsigned', 60)],
  [70, number('enum', 1)],
];
const TRIAL = 250;
const APN = 10;
const SERVER = 11;
const SERVER_PORT = 12;
const CONNECTION_MODE = 13;
const NTP_SERVER = 20;
const CALLING = ['always', 'onDemand', 'never'] as const;
/** Index in `CALLING`: the head-end dials. */
const IS_DIALLED = 2;
/** Names under this domain never resolve. @spec RFC 2606 */
const NOWHERE = '.invalid';
const SECOND_MS = 1000;
/** Debounce: link parameters take effect when none has been written for this time. */
const QUIET_MS = 150;

const instanceOf = (place: number): Obis => obis(`0.0.96.129.${place}.255`);

export interface DcuParameters {
  objects(): SimulatedObject[];
  factoryReset(): void;
  /** Whether the DCU can reach its head-end with the present link parameters. */
  reachesHeadEnd(): boolean;
  apn(): string;
  ntpServer(): string;
  calling: Calling;
  stop(): void;
}

/** The parameters of a DCU. They persist over its restarts; link parameters on trial are reverted unless confirmed in time. */
export function createDcuParameters(hangUp: () => void, isDialled = false): DcuParameters {
  const factory = FACTORY.map(
    ([place, value]) => [place, isDialled && place === CONNECTION_MODE ? number('enum', IS_DIALLED) : value] as const,
  );
  const values = new Map(factory);
  const text = (place: number): string => {
    const value = values.get(place);
    return value?.type === 'octetString' ? Buffer.from(value.value).toString('utf8') : '';
  };
  const count = (place: number): number => {
    const value = values.get(place);
    return value?.type === 'longUnsigned' || value?.type === 'enum' ? value.value : 0;
  };
  const tcp = { port: 4059, inactivity: 0 };
  let trialEnds = 0;
  let saved: Map<number, Data> | undefined;
  let reverting: NodeJS.Timeout | undefined;
  let leaving: NodeJS.Timeout | undefined;

  const endTrial = (): void => {
    clearTimeout(reverting);
    trialEnds = 0;
    saved = undefined;
  };
  const revert = (): void => {
    for (const [place, value] of saved ?? []) values.set(place, value);
    endTrial();
    hangUp();
  };
  const setTrial = (seconds: number): void => {
    if (seconds === 0) return endTrial();
    // Extending a trial keeps the values from before its beginning.
    saved ??= new Map(values);
    clearTimeout(reverting);
    trialEnds = performance.now() + seconds * SECOND_MS;
    reverting = setTimeout(revert, seconds * SECOND_MS).unref();
  };
  const set = (place: number, kind: string | undefined, value: Data): void => {
    values.set(place, value);
    if (kind !== 'link') return;
    clearTimeout(leaving);
    leaving = setTimeout(hangUp, QUIET_MS).unref();
  };

  const objects = FACTORY.map(([place, initial, kind]) =>
    simulate(dataClass, () => ({
      read: { value: () => values.get(place) ?? initial },
      ...(kind === 'fixed' ? {} : { write: { value: (value: Data) => set(place, kind, value) } }),
    }))(undefined, instanceOf(place)),
  );
  objects.push(
    simulate(dataClass, () => ({
      read: {
        value: (): Data => ({ type: 'doubleLongUnsigned', value: Math.max(0, Math.ceil((trialEnds - performance.now()) / SECOND_MS)) }),
      },
      write: { value: (value: Data) => setTrial(value.type === 'doubleLongUnsigned' ? value.value : 0) },
    }))(undefined, instanceOf(TRIAL)),
    simulate(tcpUdpSetup, () => ({
      read: {
        port: () => tcp.port,
        maxSegmentSize: () => 1460,
        maxSimultaneousConnections: () => 1,
        inactivityTimeOut: () => tcp.inactivity,
      },
      write: { port: (port) => void (tcp.port = port), inactivityTimeOut: (seconds) => void (tcp.inactivity = seconds) },
    }))(undefined, WELL_KNOWN.TCP_UDP.instance),
  );
  return {
    objects: () => objects,
    factoryReset() {
      endTrial();
      for (const [place, value] of factory) values.set(place, value);
      Object.assign(tcp, { port: 4059, inactivity: 0 });
    },
    reachesHeadEnd: () => !text(SERVER).endsWith(NOWHERE),
    apn: () => text(APN),
    ntpServer: () => text(NTP_SERVER),
    calling: {
      mode: () => CALLING[count(CONNECTION_MODE)] ?? 'never',
      destination: () => `${text(SERVER)}:${count(SERVER_PORT)}`,
    },
    stop() {
      clearTimeout(leaving);
      endTrial();
    },
  };
}
