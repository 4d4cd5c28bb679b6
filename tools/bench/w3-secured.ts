import { createDecipheriv } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { readGetResponse } from '@hes/dlms/association/client-services.ts';
import { SecureChannel } from '@hes/dlms/association/secure-channel.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer, type ProfileColumns, type ProfileShape } from '@hes/dlms/cosem/profile-buffer.ts';
import { concatOctets, GCM_TAG_LENGTH, SYSTEM_TITLE_LENGTH } from '@hes/dlms/security/cipher.ts';
import { protect } from '@hes/dlms/security/protection.ts';
import { getResponse } from '@hes/dlms/xdlms/get.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { inQuadruples, quantile, type Compared } from './interleaved.ts';

const QUADRUPLES = 9;
/** Rounds over all APDUs, alternating between both implementations. */
const ROUNDS = 12;
/** Each APDU is deciphered once per channel, because each has its own counter. */
const APDUS = 4000;
const CHANNELS = 4;
const PERIOD_SECONDS = 900;
const START_MS = 1_767_225_600_000;
const SHAPE: ProfileShape = { columns: 2 + CHANNELS, clockColumn: 0, capturePeriodSeconds: PERIOD_SECONDS };
const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const METER_TITLE = fromHex('4D4D4D0000BC614E');
const CLIENT_TITLE = fromHex('4845530000000001');
const SECURITY_CONTROL = 0x30;
const COUNTER_SIZE = 4;

const round = (value: number): number => Number(value.toPrecision(3));

/** Rows of a load profile that yield a response of about this size. */
const SIZES = { '256 B': 6, '1 kB': 26, '3.6 kB': 94 } as const;

function responseOf(rows: number): Uint8Array {
  const value = Array.from({ length: rows }, (_, row): Data => {
    const moment = encode(dateTimeCodec, fromEpochMs(START_MS + row * PERIOD_SECONDS * 1000, -480));
    const readings = Array.from({ length: CHANNELS }, (_unused, channel): Data => ({
      type: 'doubleLongUnsigned',
      value: row * 500 + channel,
    }));
    return { type: 'structure', value: [{ type: 'octetString', value: moment }, { type: 'unsigned', value: 0 }, ...readings] };
  });
  const data = encode(dataCodec, { type: 'array', value });
  return encode(getResponse, { kind: 'normal', invoke: { id: 1, confirmed: true, highPriority: true }, result: { ok: true, data } });
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`Missing item ${index}`);
  return item;
}

/** Ciphered APDUs of a meter, each with the next counter. */
const sealedOf = (plain: Uint8Array): Uint8Array[] =>
  Array.from({ length: APDUS }, (_, counter) =>
    protect(plain, { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: METER_TITLE, counter, form: 'service-specific' }),
  );

const newChannel = (): SecureChannel =>
  new SecureChannel({
    cipher: nodeCipher,
    keys: KEYS,
    policy: 'authEnc',
    ownTitle: CLIENT_TITLE,
    peerTitle: METER_TITLE,
    peerCounter: -1,
    nextCounter: () => 0,
  });

/** Columns of the response before, which the next of the same size overwrites. */
let columns: ProfileColumns | undefined;

/** Opened, proved, its counter checked, decoded into columns. */
function openOne(channel: SecureChannel, apdu: Uint8Array, rows: number): void {
  const response = readGetResponse(channel.unprotect(apdu));
  if (response.kind !== 'normal' || !response.result.ok) throw new Error('Not the response that was made');
  columns = decodeProfileBuffer(response.result.data, SHAPE, { into: columns });
  if (columns.rows !== rows) throw new Error('Rows are missing');
}

/** Deciphers the APDUs in order, and starts again on a new channel. */
function opener(sealed: readonly Uint8Array[], rows: number): () => void {
  let channel = newChannel();
  let next = 0;
  return () => {
    if (next === sealed.length) {
      channel = newChannel();
      next = 0;
    }
    openOne(channel, at(sealed, next++), rows);
  };
}

const AAD = concatOctets(Uint8Array.of(SECURITY_CONTROL), KEYS.ak);
/** Reused buffer as in the product: a new array for each nonce costs the raw variant a tenth. */
const NONCE = new Uint8Array(new ArrayBuffer(SYSTEM_TITLE_LENGTH + COUNTER_SIZE));
NONCE.set(METER_TITLE);

/**
 * Decrypts and authenticates the same octets with `node:crypto` only, in place within the APDU. Pre-cut parts would be
 * scattered in memory, each with its own nonce, and slow the raw variant by a tenth to a fifth, unlike a real socket.
 */
function decryptOne(apdu: Uint8Array, octets: number): void {
  const tagAt = apdu.length - GCM_TAG_LENGTH;
  const textAt = tagAt - octets;
  for (let i = 0; i < COUNTER_SIZE; i++) NONCE[SYSTEM_TITLE_LENGTH + i] = apdu[textAt - COUNTER_SIZE + i] ?? 0;
  const decipher = createDecipheriv('aes-128-gcm', KEYS.ek, NONCE, { authTagLength: GCM_TAG_LENGTH });
  decipher.setAAD(AAD);
  decipher.setAuthTag(apdu.subarray(tagAt));
  const plain = decipher.update(apdu.subarray(textAt, tagAt));
  decipher.final();
  if (plain.length !== octets) throw new Error('Octets are missing');
}

function decrypter(sealed: readonly Uint8Array[], octets: number): () => void {
  let next = 0;
  return () => decryptOne(at(sealed, next++ % sealed.length), octets);
}

/** Duration in milliseconds. */
function took(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** The ratio of medians over single APDUs in alternation, which excludes other load and garbage collection. */
function oneByOne(sealed: readonly Uint8Array[], { rows, octets }: { rows: number; octets: number }): number {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const channel = newChannel();
    for (const [i, apdu] of sealed.entries()) {
      if ((i + round) % 2 === 0) ours.push(took(() => openOne(channel, apdu, rows)));
      else theirs.push(took(() => decryptOne(apdu, octets)));
    }
  }
  return quantile(theirs, 0.5) / quantile(ours, 0.5);
}

/** Octets that a call leaves on the heap, independent of other load. The minimum of several rounds excludes allocations of the compiler. */
function garbageOf(call: () => void): number {
  const rounds = Array.from({ length: QUADRUPLES }, () => {
    const before = getHeapStatistics().total_allocated_bytes;
    for (let i = 0; i < APDUS; i++) call();
    return (getHeapStatistics().total_allocated_bytes - before) / APDUS;
  });
  return Math.min(...rounds);
}

function compare(rows: number): Compared & { single: number; garbage: { ours: number; raw: number } } {
  const plain = responseOf(rows);
  const sealed = sealedOf(plain);
  const ours = opener(sealed, rows);
  const raw = decrypter(sealed, plain.length);
  const blocks = inQuadruples(ours, raw, QUADRUPLES);
  const garbage = { ours: garbageOf(ours), raw: garbageOf(raw) };
  return { ...blocks, garbage, single: oneByOne(sealed, { rows, octets: plain.length }) };
}

/**
 * W3: a protected GET response deciphered, authenticated, its counter checked and its rows decoded into columns, against
 * raw GCM of `node:crypto` on the same octets. The ratio is that of the medium size, by processor time.
 */
export function run(): { workload: 'W3'; ratio: number; detail: Record<string, number> } {
  const detail: Record<string, number> = {};
  for (const [size, rows] of Object.entries(SIZES)) {
    const { ratio, quartiles, single, garbage, product, reference } = compare(rows);
    detail[`ratio ${size}`] = round(ratio);
    detail[`lower quartile ${size}`] = round(quartiles[0]);
    detail[`upper quartile ${size}`] = round(quartiles[1]);
    detail[`ratio of single APDUs ${size}`] = round(single);
    detail[`garbage of an APDU ${size}`] = Math.round(garbage.ours);
    detail[`garbage of a raw one ${size}`] = Math.round(garbage.raw);
    detail[`apdus/s ${size}`] = Math.round(product);
    detail[`raw/s ${size}`] = Math.round(reference);
  }
  return { workload: 'W3', ratio: detail['ratio 1 kB'] ?? Number.NaN, detail };
}
