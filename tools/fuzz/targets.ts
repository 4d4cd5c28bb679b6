import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { decodeNotification, decodeNotificationValue } from '@hes/dlms/association/notification.ts';
import { aare } from '@hes/dlms/acse/aare.ts';
import { aarq } from '@hes/dlms/acse/aarq.ts';
import { rlre } from '@hes/dlms/acse/rlre.ts';
import { rlrq } from '@hes/dlms/acse/rlrq.ts';
import { MAX_DEPTH } from '@hes/dlms/codec/byte-reader.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer } from '@hes/dlms/cosem/profile-buffer.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { ModeEError } from '@hes/dlms/framing/mode-e/opening.ts';
import { WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { issueCertificate, readCertificate } from '@hes/dlms/security/certificate.ts';
import { readCertificateRequest, requestCertificate } from '@hes/dlms/security/certificate-request.ts';
import { equalInConstantTime, type Cipher } from '@hes/dlms/security/cipher.ts';
import { protect, readCipheredApdu, unprotect } from '@hes/dlms/security/protection.ts';
import { apduCodec } from '@hes/dlms/xdlms/apdu.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { bombOf, bombsOf, listBombs } from './bombs.ts';
import { LINK_TARGETS } from './link-targets.ts';
import {
  CLIENT_TITLE,
  fuzzedClient,
  fuzzedDevice,
  KEYS,
  METER_TITLE,
  packed,
  recordSession,
  SESSION_KINDS,
  SERVICES,
  SHORT_NAME_KINDS,
  type SessionKind,
  unpacked,
  visit,
} from './sessions.ts';
import type { Target } from './target.ts';

function depthOf(data: Data): number {
  if (!('value' in data) || !Array.isArray(data.value)) return 0;
  let deepest = 0;
  for (const child of data.value) deepest = Math.max(deepest, depthOf(child));
  return deepest + 1;
}

function readData(input: Uint8Array): Data {
  const data = decode(dataCodec, input);
  if (depthOf(data) > MAX_DEPTH) throw new Error(`Deeper than ${MAX_DEPTH}`);
  return data;
}

const isTyped = (error: unknown): boolean =>
  error instanceof DecodeError || error instanceof AssociationError || error instanceof ModeEError;

/** Deciphers an APDU as one of a meter; ciphering the result again must give the same octets. */
function openCiphered(apdu: Uint8Array): Uint8Array {
  const ciphered = readCipheredApdu(apdu);
  const suite = ciphered.securityControl & 0x0f;
  const systemTitle = ciphered.systemTitle ?? METER_TITLE;
  const plain = unprotect(ciphered, {
    cipher: nodeCipher,
    keys: KEYS,
    policy: 'authEnc',
    systemTitle,
    lastCounter: -1,
    dedicatedKey: KEYS.ek,
    suite,
  });
  const again = protect(plain, {
    cipher: nodeCipher,
    keys: KEYS,
    policy: 'authEnc',
    systemTitle,
    counter: ciphered.invocationCounter,
    form: 'general',
    suite,
  });
  const body = apdu.subarray(ciphered.bodyAt);
  if (!equalInConstantTime(again.subarray(-body.length), body)) throw new Error('Deciphered without a valid tag');
  return plain;
}

/** Half of the inputs are damaged before they are ciphered: otherwise authentication would hide all later code. */
function ciphered(input: Uint8Array): unknown {
  const seal = (input[0] ?? 0) < 0x80;
  const apdu = seal
    ? protect(input.subarray(1), {
        cipher: nodeCipher,
        keys: KEYS,
        policy: 'authEnc',
        systemTitle: METER_TITLE,
        counter: 7,
        form: 'general',
      })
    : input.subarray(1);
  return decode(apduCodec, openCiphered(apdu));
}

const wholeOf = (chunks: readonly Uint8Array[]) => {
  const deframer = new WrapperDeframer();
  const result = { frames: 0, digest: 0, failure: '', pending: 0 };
  try {
    for (const chunk of chunks) {
      for (const { source, destination, apdu } of deframer.push(chunk)) {
        result.frames++;
        result.digest = (result.digest * 31 + (source ^ (destination << 16) ^ (apdu.length << 8) ^ (apdu[0] ?? 0))) | 0;
      }
    }
  } catch (error) {
    if (!isTyped(error)) throw error;
  }
  return deframer.failure === undefined ? { ...result, pending: deframer.pending } : { ...result, failure: deframer.failure.message };
};

/** The first octet selects the split of the stream, which must not change the frames. */
function wrapperStream(input: Uint8Array): unknown {
  const stream = input.subarray(1);
  const step = Math.max(1 + (input[0] ?? 0), stream.length >> 6);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < stream.length; at += step) chunks.push(stream.subarray(at, at + step));
  const whole = wholeOf([stream]);
  const parts = wholeOf(chunks);
  const same = whole.frames === parts.frames && whole.digest === parts.digest;
  if (!same || whole.failure !== parts.failure || whole.pending !== parts.pending)
    throw new Error(`Frames depend on the cuts: ${JSON.stringify([whole, parts])}`);
  return whole;
}

/** Sessions of every kind, each with one service, and one with all of them. */
const recordings = (side: 'requests' | 'answers', kinds: readonly SessionKind[] = SESSION_KINDS): Uint8Array[] =>
  kinds.flatMap((kind, i) => SERVICES.map((_, service) => packed((service << 4) | i, recordSession(kind, service)[side])));

/** A dialogue ends, or fails with a typed error, for any response. */
function clientAssociation(input: Uint8Array, kinds: readonly SessionKind[] = SESSION_KINDS): unknown {
  const client = fuzzedClient(kinds[(input[0] ?? 0) & 3] ?? SESSION_KINDS[0]);
  const exchange = visit(client, (input[0] ?? 0) >> 4);
  let step = exchange.next();
  for (const answer of unpacked(input)) {
    if (step.done === true) break;
    step = exchange.next(answer);
  }
  return client;
}

/** A server never throws: every input gets a response, or none. */
function server(input: Uint8Array, kinds: readonly SessionKind[] = SESSION_KINDS): unknown {
  const device = fuzzedDevice();
  const { sap } = kinds[(input[0] ?? 0) & 3] ?? SESSION_KINDS[0];
  try {
    for (const request of unpacked(input)) device.receive(sap, request);
  } catch (error) {
    throw new Error('The server threw', { cause: error });
  }
  return device;
}

/** Signatures are verified by the platform, and take a hundred times as long as decoding. */
const CREDULOUS: Cipher = { ...nodeCipher, verify: () => true };

/** A certificate, and a certificate request. */
function certificates(): Uint8Array[] {
  const key = new Uint8Array(32).fill(0x11);
  const publicKey = nodeCipher.publicKeyOf?.(key) ?? key;
  const content = {
    serialNumber: Uint8Array.of(0xff),
    issuer: 'HES',
    subject: '4D4D4D0000BC614E',
    from: '20260101000000Z',
    to: '20560101000000Z',
    publicKey,
  };
  const issued = (['digitalSignature', 'certificateSign'] as const).map((use) => issueCertificate(nodeCipher, key, { ...content, use }));
  return [
    ...issued.map((octets) => Uint8Array.of(0, ...octets)),
    Uint8Array.of(1, ...requestCertificate(nodeCipher, key, content.subject)),
  ];
}

/** Rows of three columns: minimal ones, and those of real meters. */
const ROWS = ['0203000000', '020300001101', '0203090C07EA0B15FF0000000080000011000600000001'];
const ACSE: readonly ((input: Uint8Array) => unknown)[] = [
  (input) => decode(aarq, input),
  (input) => decode(aare, input),
  (input) => decode(rlrq, input),
  (input) => decode(rlre, input),
];

/** Validates the body, and decodes it: both must succeed, or fail with the same fault. */
function notification(input: Uint8Array): unknown {
  const keysOf = () => ({ cipher: nodeCipher, keys: KEYS, lastCounter: -1 });
  let fault: string | undefined;
  try {
    decodeNotification(input, keysOf);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    fault = error.fault.code;
  }
  try {
    const decoded = decodeNotificationValue(input, keysOf);
    if (fault === undefined) return decoded;
  } catch (error) {
    if (!(error instanceof DecodeError) || error.fault.code === fault) throw error;
  }
  throw new Error(`the body is decoded otherwise than it is validated: ${fault}`);
}

export const TARGETS: Readonly<Record<string, Target>> = {
  data: { run: readData, bombs: () => bombsOf('') },
  apdu: {
    run(input) {
      const apdu = decode(apduCodec, input);
      const carriesData = apdu.apdu === 'getResponse' && apdu.kind === 'normal' && apdu.result.ok;
      return carriesData ? readData(apdu.result.ok ? apdu.result.data : input) : apdu;
    },
    bombs: () => [...bombsOf('C401C100'), ...listBombs()],
  },
  ciphered: { run: ciphered },
  wrapper: { run: wrapperStream },
  acse: { run: (input) => ACSE[(input[0] ?? 0) & 3]?.(input) },
  'profile-buffer': {
    run(input) {
      const columns = 1 + ((input[0] ?? 0) & 0x0f);
      const clockColumn = ((input[0] ?? 0) >> 4) % columns;
      return decodeProfileBuffer(input.subarray(1), { columns, clockColumn, capturePeriodSeconds: 900 });
    },
    bombs: () => [...bombsOf('00'), ...ROWS.map((row) => bombOf('02', row))],
  },
  'date-time': { run: (input) => toEpochMs(decode(dateTimeCodec, input)) },
  gateway: {
    run(input) {
      const frame = decodeGateway(input);
      return frame === undefined ? undefined : decode(apduCodec, frame.apdu);
    },
  },
  notification: {
    run: notification,
    seeds: () => {
      const plain = Uint8Array.of(0x0f, 0, 0, 0, 1, 0, 2, 2, 0x11, 5, 0x12, 1, 2);
      return [
        protect(plain, { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: CLIENT_TITLE, counter: 1, form: 'general' }),
      ];
    },
  },
  certificate: {
    run: (input) => ((input[0] ?? 0) === 0 ? readCertificate(input.subarray(1)) : readCertificateRequest(CREDULOUS, input.subarray(1))),
    seeds: certificates,
  },
  'client-association': { run: (input) => clientAssociation(input), seeds: () => recordings('answers') },
  server: { run: (input) => server(input), seeds: () => recordings('requests') },
  /** The first octet selects the side, for the rest of the input. */
  'short-names': {
    run: (input) => ((input[0] ?? 0) & 1 ? clientAssociation : server)(input.subarray(1), SHORT_NAME_KINDS),
    seeds: () =>
      (['requests', 'answers'] as const).flatMap((side, isClient) =>
        recordings(side, SHORT_NAME_KINDS).map((input) => Uint8Array.of(isClient, ...input)),
      ),
  },
  ...LINK_TARGETS,
};

/** Whether a target may end with this error. */
export const isExpected = isTyped;
