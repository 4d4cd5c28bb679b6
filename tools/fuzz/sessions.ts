import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import { runExchange, type Exchange } from '@hes/dlms/association/exchange.ts';
import { objectKey, publicClient, type ClientRule, type ServerObject } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { assignShortNames } from '@hes/dlms/catalogue/short-names.ts';
import { associationSn } from '@hes/dlms/cosem/classes/association-sn.ts';
import { dataCodec, logicalName } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { Cipher } from '@hes/dlms/security/cipher.ts';
import { associationSnObject } from '@hes/dlms/server/association-sn-object.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';

export const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
export const CLIENT_TITLE = fromHex('4845530000000001');
export const METER_TITLE = fromHex('4D4D4D0000BC614E');
const PASSWORD = fromHex('3132333435363738');

const REGISTER = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const LONG = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const CLOCK = obis('0.0.1.0.0.255');

/** Repeating challenges, which make a recorded session reproducible. */
const repeating = (first: number): Cipher => ({
  ...nodeCipher,
  random: (size) => Uint8Array.from({ length: size }, (_, i) => (first + 7 * i) & 0xff),
});

const RULES = new Map<number, ClientRule>([
  [1, { mechanism: 'hlsGmac', ciphered: true }],
  [2, { mechanism: 'none', ciphered: false }],
  [3, { mechanism: 'low', ciphered: false, password: PASSWORD }],
  [5, { mechanism: 'none', ciphered: false, shortNames: true }],
  [6, { mechanism: 'hlsGmac', ciphered: true, shortNames: true }],
  [16, publicClient([CLOCK])],
]);

export const SESSION_KINDS = [
  { sap: 2, mechanism: 'none', ciphered: false },
  { sap: 3, mechanism: 'low', ciphered: false },
  { sap: 1, mechanism: 'hlsGmac', ciphered: true },
  { sap: 1, mechanism: 'hlsGmac', ciphered: true, generalProtection: true },
] as const;
/** The same by short names; the first client does not know the base names, the second one knows outdated ones. */
export const SHORT_NAME_KINDS = [
  { sap: 5, mechanism: 'none', ciphered: false, shortNames: {} },
  { sap: 5, mechanism: 'none', ciphered: false, shortNames: { known: [{ ...REGISTER, version: 0, baseName: 0x2000 }] } },
  { sap: 6, mechanism: 'hlsGmac', ciphered: true, shortNames: {} },
  { sap: 6, mechanism: 'hlsGmac', ciphered: true, generalProtection: true, shortNames: {} },
] as const;
export type SessionKind = (typeof SESSION_KINDS)[number] | (typeof SHORT_NAME_KINDS)[number];

const ROWS = encode(dataCodec, {
  type: 'array',
  value: Array.from({ length: 40 }, (_, value): Data => ({ type: 'doubleLongUnsigned', value })),
});

const SHORT_NAMES = assignShortNames([
  { ...REGISTER, version: 0 },
  { ...LONG, version: 1 },
  { classId: associationSn.id, version: associationSn.version, instance: obis('0.0.40.0.0.255') },
]);

function objects(): ServerObject[] {
  let value: Data = { type: 'doubleLongUnsigned', value: 5009 };
  return [
    {
      ...REGISTER,
      version: 0,
      read: (attributeId) => (attributeId === 2 ? encode(dataCodec, value) : encode(logicalName, REGISTER.instance)),
      write: (_attributeId, data) => {
        value = data;
        return 'success';
      },
      invoke: () => ({ result: 'success' }),
    },
    { ...LONG, version: 1, read: (_attributeId, selection) => (selection === undefined ? ROWS : encode(dataCodec, selection.parameters)) },
    associationSnObject(() => SHORT_NAMES),
  ];
}

/** A meter with deterministic runs. */
export function fuzzedDevice(): LogicalDevice {
  let sent = 0;
  const accepted = new Map<string, number>();
  return new LogicalDevice({
    objects: new Map(objects().map((object) => [objectKey(object.classId, object.instance), object])),
    shortNames: () => SHORT_NAMES,
    systemTitle: METER_TITLE,
    keys: KEYS,
    cipher: repeating(1),
    rules: RULES,
    maxPduSize: 512,
    counters: {
      next: () => sent++,
      last: (title) => accepted.get(toHex(title)) ?? -1,
      accept: (title, counter) => void accepted.set(toHex(title), counter),
    },
  });
}

/** A client with deterministic runs. */
export function fuzzedClient(kind: SessionKind): ClientAssociation {
  let counter = 100;
  const { sap: _sap, ...how } = kind;
  const options: ClientOptions = {
    ...how,
    systemTitle: CLIENT_TITLE,
    password: PASSWORD,
    keys: KEYS,
    cipher: repeating(100),
    maxPduSize: 150,
    nextCounter: () => counter++,
    peer: { counter: -1 },
  };
  return new ClientAssociation(options);
}

/** Services that a client may call in a session. */
export const SERVICES: readonly ((client: ClientAssociation) => Exchange<unknown>)[] = [
  (client) => client.get(REGISTER),
  (client) => client.get(LONG),
  (client) => client.getList([REGISTER, LONG]),
  (client) => client.set(REGISTER, fromHex('1107')),
  (client) => client.set(REGISTER, encode(dataCodec, { type: 'octetString', value: new Uint8Array(600) })),
  (client) => client.invoke({ ...REGISTER, methodId: 1 }, fromHex('0F00')),
];

/** Opens, calls one service, releases. */
export function* visit(client: ClientAssociation, service: number): Exchange<void> {
  yield* client.open();
  yield* (SERVICES[service % SERVICES.length] ?? SERVICES[0])?.(client) ?? client.get(REGISTER);
  yield* client.release();
}

/** Records both sides of one session in order. */
export function recordSession(kind: SessionKind, service: number): { requests: Uint8Array[]; answers: Uint8Array[] } {
  const device = fuzzedDevice();
  const requests: Uint8Array[] = [];
  const answers: Uint8Array[] = [];
  const exchange = visit(fuzzedClient(kind), service);
  const answerOf = (apdu: Uint8Array): Uint8Array | undefined => {
    requests.push(apdu);
    const answer = device.receive(kind.sap, apdu);
    if (answer !== undefined) answers.push(answer);
    return answer;
  };
  try {
    runExchange(exchange, answerOf);
  } catch (error) {
    // A session that ends early because of an unsupported service is a valid recording.
    if (!(error instanceof AssociationError)) throw error;
  }
  return { requests, answers };
}

/** Packs many APDUs into one input: each after its length in two octets. */
export function packed(first: number, apdus: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from([first, ...apdus.flatMap((apdu) => [apdu.length >> 8, apdu.length & 0xff, ...apdu])]);
}

/** APDUs of one session: the limits apply to an APDU, not to an endless dialogue. */
const MOST_APDUS = 12;

/** The APDUs of an input, however damaged. */
export function* unpacked(input: Uint8Array): Generator<Uint8Array> {
  let at = 1;
  for (let count = 0; count < MOST_APDUS && at + 2 <= input.length; count++) {
    const length = ((input[at] ?? 0) << 8) | (input[at + 1] ?? 0);
    yield input.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
}
