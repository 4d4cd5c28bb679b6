/**
 * The field of W1 as a separate process: DCUs that dial in and meters that respond. Responses are ciphered in advance,
 * except the one that depends on the client's challenge; requests are not deciphered. It thus costs as little as possible,
 * equally for product and reference, and the same bytes can be requested twice.
 * Commands of the parent over IPC: { meters, day } → ready, { dial: port, dcus, first } → dialled, { air } → breathing,
 * { ideal } → { seconds }, { hangUp } → hungUp.
 */
import { connect, type Socket } from 'node:net';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { aarq } from '@hes/dlms/acse/aarq.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { computeGmacAnswer } from '@hes/dlms/security/hls-gmac.ts';
import { protect, readCipheredApdu, unprotect } from '@hes/dlms/security/protection.ts';
import { actionResponse } from '@hes/dlms/xdlms/action.ts';
import { getRequest, getResponse } from '@hes/dlms/xdlms/get.ts';
import { DCU_SN, HES_TITLE, isDead, type Air, meterKeys, meterSn, meterTitle, profileOctets } from './fleet.ts';

const AARQ = 0x60;
const GLO_GET = 0xc8;
const GLO_ACTION = 0xcb;
const RLRQ = 0x62;
const RLRE = Uint8Array.of(0x63, 3, 0x80, 1, 0);
const MAX_PDU = 16_384;
const ANSWER_COUNTER = 10;
const ACTION_COUNTER = 11;
const GET_COUNTER = 12;
const COUNTERS_OF_ASSOCIATION = 1000;
const INVOKE = { confirmed: true, highPriority: true } as const;

interface Meter {
  index: number;
  aare: Uint8Array;
  profile: Uint8Array;
  challenge: Uint8Array;
  /** System title of the latest associated client. */
  caller: Uint8Array;
  /** First counter of the present association, and number of responses ciphered in it. */
  base: number;
  answers: number;
}

/** Traffic over the channel of one DCU. */
interface Line {
  freeAt: number;
  /** Cheapest round trips of each meter by kind of request: the cost of a perfect head-end. */
  needed: Map<string, number>;
}

let air: Air | undefined;
let preparedDay = 0;
let lines: Line[] = [];

const meters = new Map<string, Meter>();
const sockets: Socket[] = [];

const protection = (index: number, counter: number) =>
  ({
    cipher: nodeCipher,
    keys: meterKeys(index),
    policy: 'authEnc',
    systemTitle: meterTitle(index),
    counter,
    form: 'service-specific',
  }) as const;

/** Arrival time of the response over the channel; undefined if lost. The next request waits until the channel is free. */
function overAir(line: Line, index: number, kind: number, octets: number): number | undefined {
  if (air === undefined) return 0;
  const { bitsPerSecond, roundTripMs, lost, deadEvery } = air;
  const costMs = roundTripMs + (octets * 8000) / bitsPerSecond;
  const begins = Math.max(performance.now(), line.freeAt);
  line.freeAt = begins + costMs;
  if (isDead(index, deadEvery)) return undefined;
  const key = `${index}/${kind}`;
  if (!line.needed.has(key)) line.needed.set(key, costMs);
  return Math.random() < lost || Math.random() < lost ? undefined : Math.max(0, line.freeAt - performance.now());
}

/** Air time of the busiest DCU if each request had been sent once, and repeated only after frame loss. */
function idealSeconds(): number {
  const again = air === undefined ? 1 : 1 / (1 - air.lost) ** 2;
  const sums = lines.map(({ needed }) => [...needed.values()].reduce((sum, ms) => sum + ms, 0));
  return (Math.max(0, ...sums) * again) / 1000;
}

/** The AARE is equal for every client: it is recorded once from a real server. */
function aareOf(index: number, base = 0): Uint8Array {
  let counter = base;
  const device = new LogicalDevice({
    objects: new Map(),
    systemTitle: meterTitle(index),
    keys: meterKeys(index),
    cipher: nodeCipher,
    rules: new Map([[1, { mechanism: 'hlsGmac', ciphered: true }]]),
    maxPduSize: MAX_PDU,
    counters: { next: () => counter++, last: () => -1, accept: () => undefined },
  });
  let used = 0;
  const client = new ClientAssociation({
    mechanism: 'hlsGmac',
    ciphered: true,
    systemTitle: HES_TITLE,
    keys: meterKeys(index),
    cipher: nodeCipher,
    maxPduSize: MAX_PDU,
    nextCounter: () => used++,
    peer: { counter: -1 },
  });
  const request = client.open().next();
  const answer = request.done === true ? undefined : device.receive(1, request.value);
  if (answer === undefined) throw new Error('The server sent no AARE');
  return answer;
}

/** The first read of an association, after HLS pass 3 and 4. */
const FIRST_GET = 2;

const plainAnswer = (data: Uint8Array, id = FIRST_GET): Uint8Array =>
  encode(getResponse, { kind: 'normal', invoke: { id, ...INVOKE }, result: { ok: true, data } });

/** With frame loss, requests are repeated and no counter may be reused: responses are then ciphered on demand. */
function renew(meter: Meter): void {
  if (air === undefined) return;
  meter.base += COUNTERS_OF_ASSOCIATION;
  meter.answers = 0;
  meter.aare = aareOf(meter.index, meter.base);
}

/** A kept association uses other invoke ids for the next read. */
function profileNow(meter: Meter, request: Uint8Array): Uint8Array {
  if (air === undefined) return meter.profile;
  const opening = {
    cipher: nodeCipher,
    keys: meterKeys(meter.index),
    policy: 'authEnc',
    systemTitle: meter.caller,
    lastCounter: -1,
  } as const;
  const { invoke } = decode(getRequest, unprotect(readCipheredApdu(request), opening));
  const answer = plainAnswer(profileOctets(meter.index, preparedDay), invoke.id);
  return protect(answer, protection(meter.index, meter.base + GET_COUNTER + meter.answers++));
}

function prepare(count: number, day: number): void {
  preparedDay = day;
  for (let index = 1; index <= count; index++) {
    const data = profileOctets(index, day);
    const plain = plainAnswer(data);
    meters.set(meterSn(index), {
      index,
      aare: aareOf(index),
      profile: protect(plain, protection(index, GET_COUNTER)),
      challenge: new Uint8Array(0),
      caller: HES_TITLE,
      base: 0,
      answers: 0,
    });
  }
}

function answerOf(meter: Meter, apdu: Uint8Array): Uint8Array | undefined {
  switch (apdu[0]) {
    case AARQ: {
      renew(meter);
      const asked = decode(aarq, apdu);
      meter.challenge = asked.authenticationValue ?? new Uint8Array(0);
      meter.caller = asked.callingApTitle ?? HES_TITLE;
      return meter.aare;
    }
    case GLO_ACTION: {
      const { index, challenge, base } = meter;
      const party = { cipher: nodeCipher, keys: meterKeys(index), systemTitle: meterTitle(index), challenge };
      const returned = { ok: true as const, data: encode(octetString, computeGmacAnswer({ ...party, counter: base + ANSWER_COUNTER })) };
      const plain = encode(actionResponse, { kind: 'normal', invoke: { id: 1, ...INVOKE }, result: 'success', returned });
      return protect(plain, protection(index, base + ACTION_COUNTER));
    }
    case GLO_GET:
      return profileNow(meter, apdu);
    case RLRQ:
      return RLRE;
    default:
      return undefined;
  }
}

const greeting = structure({ name: octetString, systemTitle: octetString, kind: unsigned });

/** The head-end limits connections by address, so many DCUs come from several. */
const DCUS_PER_ADDRESS = 4_000;

function dial(port: number, dcu: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: '127.0.0.1', localAddress: `127.0.0.${1 + Math.floor(dcu / DCUS_PER_ADDRESS)}`, noDelay: true },
      () => {
        const body = encode(greeting, { name: Buffer.from(DCU_SN(dcu)), systemTitle: new Uint8Array(8), kind: 0 });
        socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeNotification({ longInvokeId: 1, body })));
        resolve();
      },
    );
    socket.on('error', reject);
    const line: Line = { freeAt: 0, needed: new Map() };
    const deframer = new WrapperDeframer();
    socket.on('data', (chunk: Buffer) => {
      for (const { source, destination, apdu } of deframer.push(chunk)) {
        const gateway = decodeGateway(apdu);
        const meter = gateway === undefined ? undefined : meters.get(Buffer.from(gateway.address).toString('latin1'));
        const answer = gateway === undefined || meter === undefined ? undefined : answerOf(meter, gateway.apdu);
        if (gateway === undefined || meter === undefined || answer === undefined) continue;
        const payload = encodeGateway({ response: true, networkId: gateway.networkId, address: gateway.address }, answer);
        const frame = encodeWrapper({ source: destination, destination: source }, payload);
        const inMs = overAir(line, meter.index, gateway.apdu[0] ?? 0, apdu.length + frame.length);
        if (inMs === 0) socket.write(frame);
        else if (inMs !== undefined) setTimeout(() => socket.write(frame), inMs);
      }
    });
    sockets.push(socket);
    lines.push(line);
  });
}

type Order =
  | { meters: number; day: number }
  | { dial: number; dcus: number; /** Number of the first DCU. */ first?: number }
  | { air: Air | null }
  | { ideal: true }
  | { hangUp: true };

process.on('message', (order: Order) => {
  void (async () => {
    if ('meters' in order) {
      prepare(order.meters, order.day);
      process.send?.('ready');
    } else if ('dial' in order) {
      const { first = 1, dcus } = order;
      for (let dcu = first; dcu < first + dcus; dcu++) await dial(order.dial, dcu);
      process.send?.('dialled');
    } else if ('air' in order) {
      air = order.air ?? undefined;
      for (const line of lines) line.needed.clear();
      process.send?.('breathing');
    } else if ('ideal' in order) process.send?.({ seconds: idealSeconds() });
    else {
      lines = [];
      for (const socket of sockets.splice(0)) socket.destroy();
      process.send?.('hungUp');
    }
  })();
});
process.on('disconnect', () => process.exit(0));
