import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import {
  objectKey,
  PUBLIC_CLIENT_SAP,
  type ClientRule,
  type LogicalDeviceOptions,
  type ServerObject,
} from '@hes/dlms/association/server-options.ts';
import type { ShortNamedObject } from '@hes/dlms/catalogue/short-names.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { captureObject, type CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { arrayOf, dataCodec, doubleLongUnsigned, octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { keySizeOf } from '@hes/dlms/security/cipher.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { parseSelection } from '@hes/dlms/cosem/selective-access.ts';
import { clientAddress, serverAddress, type HdlcAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { HdlcDeframer } from '@hes/dlms/framing/hdlc/deframer.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { HdlcLine } from '@hes/dlms-node/hdlc-line.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';

/** A minimal DCU for tests that need exact faults; other tests use the simulator. */
export interface TinyMeter {
  sn: string;
  systemTitle: Uint8Array;
  keys: { ek: Uint8Array; ak: Uint8Array };
  /** Columns of the load profile after the clock, in their order. */
  columns: ('status' | 'ePlus' | 'eMinus')[];
  /** The meter never answers. */
  silent: boolean;
  /** Error of the clock during its captures. */
  stampedAheadMs: number;
  /** Step of the clock: captures after `at` have times earlier by `byMs`. */
  setBack: { at: number; byMs: number } | undefined;
  /** Present error of the clock. */
  clockAheadMs: number;
  /** Time of the oldest capture in the buffer. */
  beginsAt: number;
  /** Capacity of the load profile in rows; undefined: the attribute is missing. */
  entries: number | undefined;
  /** Whether the load profile returns its capture period. */
  hasPeriod: boolean;
  /** Capture period of the load profile. */
  captureMs: number;
  device: LogicalDevice;
  /** Objects of the meter; a test may add more. */
  objects: Map<string, ServerObject>;
  /** Accepted counters of the head-end, in order. */
  accepted: number[];
  /** Counter of its responses and pushes. */
  nextCounter(): number;
  /** Number of association requests. */
  opened: number;
  /** Answers of a peculiar meter, by request and by its usual answer; undefined: the usual one. */
  peculiar: ((request: Uint8Array, usual: () => Uint8Array | undefined) => Uint8Array | undefined) | undefined;
  /** Deviation of the local time in which the meter compares a range, refusing limits with a deviation; undefined: it takes both. */
  comparesAt: number | undefined;
  /** Base names of its objects, for clients with short names. */
  shortNames: ShortNamedObject[];
}

const DEVIATION = -480;
const QUARTER_MS = 900_000;
const CLOCK = obis('0.0.1.0.0.255');
const E_PLUS = obis('1.0.1.8.0.255');
const E_MINUS = obis('1.0.2.8.0.255');
const STATUS = obis('0.0.96.10.1.255');
const OBJECT = {
  status: { classId: 1, instance: STATUS, attributeId: 2, dataIndex: 0 },
  ePlus: { classId: 3, instance: E_PLUS, attributeId: 2, dataIndex: 0 },
  eMinus: { classId: 3, instance: E_MINUS, attributeId: 2, dataIndex: 0 },
} satisfies Record<string, CaptureObject>;

/** Measured values: they differ between quantities and between times. */
export const truth = {
  status: () => 8,
  ePlus: (at: number) => Math.floor(at / QUARTER_MS) * 3,
  eMinus: (at: number) => Math.floor(at / QUARTER_MS) * 2 + 1,
};

const clockOctets = (at: number) => encode(dateTimeCodec, fromEpochMs(at, DEVIATION));

export function register(instance: Obis, value: () => number): ServerObject {
  return {
    classId: 3,
    version: 0,
    instance,
    read: (attribute) => {
      if (attribute === 2) return encode(doubleLongUnsigned, value());
      return attribute === 3 ? encode(scalerUnit, { scaler: 0, unit: 30 }) : 'objectUndefined';
    },
  };
}

/** Rows in the order of capture; after a step back of the clock their times repeat. */
function buffer(meter: TinyMeter, from: number, to: number, now: number): Uint8Array {
  const rows: Data[] = [];
  const { captureMs, beginsAt, setBack } = meter;
  const until = setBack === undefined ? Math.min(to, now) : now;
  for (let at = Math.ceil(Math.max(from, beginsAt) / captureMs) * captureMs; at <= until; at += captureMs) {
    const stamp = setBack !== undefined && at > setBack.at ? at - setBack.byMs : at;
    if (stamp < from || stamp > to) continue;
    const values = meter.columns.map((column): Data => ({ type: 'doubleLongUnsigned', value: truth[column](at) }));
    rows.push({ type: 'structure', value: [{ type: 'octetString', value: clockOctets(stamp + meter.stampedAheadMs) }, ...values] });
  }
  return encode(dataCodec, { type: 'array', value: rows });
}

const captureList = arrayOf(captureObject);

function profile(meter: TinyMeter, instance: Obis, now: () => number): ServerObject {
  return {
    classId: 7,
    version: 1,
    instance,
    read: (attribute, selection) => {
      if (attribute === 3)
        return encode(captureList, [
          { classId: 8, instance: CLOCK, attributeId: 2, dataIndex: 0 },
          ...meter.columns.map((column) => OBJECT[column]),
        ]);
      if (attribute === 4 && meter.hasPeriod) return encode(doubleLongUnsigned, meter.captureMs / 1000);
      if (attribute === 8 && meter.entries !== undefined) return encode(doubleLongUnsigned, meter.entries);
      if (attribute !== 2) return 'objectUndefined';
      const range = selection === undefined ? undefined : parseSelection(selection);
      if (range?.kind !== 'range') return 'otherReason';
      const hasDeviation = range.from.deviationMinutes !== null || range.to.deviationMinutes !== null;
      if (hasDeviation && meter.comparesAt !== undefined) return 'otherReason';
      const [from, to] = [range.from, range.to].map((limit) => toEpochMs(limit, meter.comparesAt) ?? 0);
      return buffer(meter, from ?? 0, to ?? 0, now());
    },
  };
}

const GMAC: ClientRule = { mechanism: 'hlsGmac', ciphered: true };

/** Security of a device beyond the rule for its client. */
export interface TinySecurity extends Partial<Pick<LogicalDeviceOptions, 'suite' | 'privateKey' | 'generalCiphering' | 'onFrame'>> {
  /** How the public client must authenticate; absent: it is refused. */
  publicRule?: ClientRule;
}

/** A meter that holds two registers and a load profile; `rule` is how its client must authenticate. */
export function tinyMeter(
  sn: string,
  index: number,
  now: () => number,
  rule = GMAC,
  { suite = 0, publicRule, ...others }: TinySecurity = {},
): TinyMeter {
  // Keys that forms do not refuse as too simple.
  const keyOf = (name: string) => new Uint8Array(createHash('sha256').update(`${name} ${index}`).digest().subarray(0, keySizeOf(suite)));
  let counter = 0;
  const meter: TinyMeter = {
    sn,
    systemTitle: Uint8Array.from([0x54, 0x49, 0x4e, 0, 0, 0, 1 + (index >> 8), index]),
    keys: { ek: keyOf('ek'), ak: keyOf('ak') },
    columns: ['status', 'ePlus', 'eMinus'],
    silent: false,
    stampedAheadMs: 0,
    setBack: undefined,
    clockAheadMs: 0,
    beginsAt: 0,
    entries: undefined,
    hasPeriod: true,
    captureMs: QUARTER_MS,
    accepted: [],
    nextCounter: () => counter++,
    opened: 0,
    peculiar: undefined,
    comparesAt: undefined,
    shortNames: [],
    objects: new Map(),
    device: undefined as unknown as LogicalDevice, // as: set below, it needs the meter
  };
  const objects: ServerObject[] = [
    {
      classId: 8,
      version: 0,
      instance: CLOCK,
      read: (attribute) => (attribute === 2 ? encode(octetString, clockOctets(now() + meter.clockAheadMs)) : 'objectUndefined'),
    },
    register(E_PLUS, () => truth.ePlus(now())),
    register(E_MINUS, () => truth.eMinus(now())),
    profile(meter, obis('1.0.99.1.0.255'), now),
  ];
  for (const object of objects) meter.objects.set(objectKey(object.classId, object.instance), object);
  const last = new Map<string, number>();
  meter.device = new LogicalDevice({
    objects: meter.objects,
    shortNames: () => meter.shortNames,
    systemTitle: meter.systemTitle,
    keys: meter.keys,
    cipher: nodeCipher,
    suite,
    ...others,
    rules: new Map([[1, rule], ...(publicRule === undefined ? [] : [[PUBLIC_CLIENT_SAP, publicRule] as const])]),
    maxPduSize: 1024,
    counters: {
      next: meter.nextCounter,
      last: (title) => last.get(Buffer.from(title).toString('hex')) ?? -1,
      accept: (title, value) => {
        last.set(Buffer.from(title).toString('hex'), value);
        meter.accepted.push(value);
      },
    },
  });
  return meter;
}

/** The logical device of a DCU itself: keys, system title and logical device name. */
export function namedDcu(sn: string, index: number, rule = GMAC): TinyMeter {
  const device = tinyMeter(sn, index, () => Date.now(), rule);
  const name = { classId: 1, version: 0, instance: WELL_KNOWN.LDN.instance, read: () => encode(octetString, Buffer.from(sn)) };
  device.objects.set(objectKey(name.classId, name.instance), name);
  return device;
}

/** Receives a request of a client to a server. */
type ReceiveRequest = (client: number, server: number, apdu: Uint8Array) => void;

/** The framing of a device. */
export interface TinyWire {
  send(server: number, client: number, apdu: Uint8Array): void;
  /** Sends a message that answers no request. */
  announce(apdu: Uint8Array): void;
}

const wrapperWire = (socket: Socket, receive: ReceiveRequest): TinyWire => {
  const deframer = new WrapperDeframer();
  socket.on('data', (chunk: Buffer) => {
    for (const frame of deframer.push(chunk)) receive(frame.source, frame.destination, frame.apdu);
  });
  return {
    send: (source, destination, apdu) => void socket.write(encodeWrapper({ source, destination }, apdu)),
    announce: (apdu) => void socket.write(encodeWrapper({ source: 1, destination: 1 }, apdu)),
  };
};

/** HDLC with this physical address, or none, and segments of 128 octets. Requests to another address get no response. */
export const hdlcWire =
  (physicalAddress: number | undefined) =>
  (socket: Socket, receive: ReceiveRequest): TinyWire => {
    const lines = new Map<string, HdlcLine>();
    const deframer = new HdlcDeframer();
    const lineOf = (own: HdlcAddress, client: HdlcAddress): HdlcLine => {
      const key = `${own.upper}/${client.upper}`;
      const known = lines.get(key);
      if (known !== undefined) return known;
      const line = new HdlcLine({
        link: createLink({ role: 'server', own, peer: client }),
        timeoutMs: 60_000,
        write: (octets) => void socket.write(octets),
      });
      line.onMessage((apdu) => {
        receive(client.upper, own.upper, apdu);
        // Returns the turn when there is no response, or not yet.
        line.pass();
      });
      lines.set(key, line);
      return line;
    };
    socket.on('data', (chunk: Buffer) => {
      for (const frame of deframer.push(Uint8Array.from(chunk)))
        if (frame.destination.lower === physicalAddress) lineOf(frame.destination, frame.source).take(frame);
    });
    socket.on('close', () => lines.forEach((line) => line.stop()));
    return {
      send: (server, client, apdu) => lines.get(`${server}/${client}`)?.send(apdu),
      announce: (apdu) =>
        void socket.write(
          encodeHdlcFrame({
            destination: clientAddress(1),
            source: serverAddress(1, physicalAddress, 4),
            control: { kind: 'ui', pollFinal: false },
            segmented: false,
            information: addLlc('response', apdu),
          }),
        ),
    };
  };

const identification = structure({ name: octetString, systemTitle: octetString, kind: unsigned });

/** Dials in, identifies itself and answers for its meters. */
export class TinyDcu {
  readonly socket: Socket;
  readonly meters: Map<string, TinyMeter>;
  /** Whether responses are queued in `held` instead of being sent. */
  hold = false;
  readonly held: (() => void)[] = [];
  /** The device itself answers no longer. */
  isMute = false;
  /** Delay of every response. */
  latencyMs = 0;
  /** Addresses of received requests, in order. */
  readonly asked: string[] = [];
  onAsked: () => void = () => undefined;
  /** Faults of the next round trips, in order: request lost, response lost, exception response, or none. */
  readonly fates: ('question' | 'answer' | 'refused' | 'arrives')[] = [];

  /** System title in the identification. */
  readonly systemTitle: Uint8Array;
  /** Logical device of the DCU itself. */
  own: TinyMeter | undefined;
  /** Responses of the DCU itself, in order. */
  readonly answers: Uint8Array[] = [];

  readonly #wire: TinyWire;

  /** Dials `at` when it is a port; otherwise uses the socket that the head-end has opened. `wire`: its framing, by default the wrapper. */
  constructor(
    at: number | Socket,
    sn: string,
    meters: TinyMeter[],
    own?: TinyMeter,
    systemTitle: Uint8Array = new Uint8Array(8),
    greets = true,
    wire: (socket: Socket, receive: ReceiveRequest) => TinyWire = wrapperWire,
  ) {
    this.systemTitle = systemTitle;
    this.meters = new Map(meters.map((meter) => [meter.sn, meter]));
    this.own = own;
    this.socket = typeof at === 'number' ? connect({ port: at, host: '127.0.0.1', noDelay: true }) : at;
    this.socket.on('error', () => undefined);
    this.#wire = wire(this.socket, (source, destination, apdu) => this.#answer(source, destination, apdu));
    if (typeof at === 'number' && greets) this.identify(sn, 0);
  }

  identify(sn: string, kind: number): void {
    const body = encode(identification, { name: Buffer.from(sn), systemTitle: this.systemTitle, kind });
    this.send(encodeNotification({ longInvokeId: 1, body }));
  }

  /** Sends an APDU of the device itself. */
  send(apdu: Uint8Array): void {
    this.#wire.announce(apdu);
  }

  #answer(source: number, destination: number, octets: Uint8Array): void {
    const gateway = decodeGateway(octets);
    if (gateway === undefined) return this.#answerItself(source, destination, octets);
    const sn = Buffer.from(gateway.address).toString('ascii');
    this.asked.push(sn);
    this.onAsked();
    const meter = this.meters.get(sn);
    const fate = this.fates.shift();
    if (meter?.silent === true || fate === 'question') return;
    if (gateway.apdu[0] === 0x60 && meter !== undefined) meter.opened++;
    const usual = () => meter?.device.receive(source, gateway.apdu);
    const answer =
      meter === undefined || fate === 'refused' ? Uint8Array.of(0xd8, 1, 1) : (meter.peculiar?.(gateway.apdu, usual) ?? usual());
    if (answer === undefined || fate === 'answer') return;
    const send = () => {
      const payload = encodeGateway({ response: true, networkId: gateway.networkId, address: gateway.address }, answer);
      this.#wire.send(destination, source, payload);
    };
    if (this.hold) this.held.push(send);
    else if (this.latencyMs > 0) setTimeout(send, this.latencyMs);
    else send();
  }

  #answerItself(source: number, destination: number, octets: Uint8Array): void {
    const answer = this.own?.device.receive(source, octets);
    if (answer === undefined || this.isMute) return;
    this.answers.push(answer);
    this.#wire.send(destination, source, answer);
  }

  close(): void {
    this.socket.destroy();
  }
}
