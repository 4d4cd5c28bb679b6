import { createDecipheriv } from 'node:crypto';
import { readGetResponse } from '@hes/dlms/association/client-services.ts';
import { SecureChannel } from '@hes/dlms/association/secure-channel.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec, type Data } from '@hes/dlms/cosem/data.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer, type ProfileShape } from '@hes/dlms/cosem/profile-buffer.ts';
import { concatOctets, TAG_SIZE } from '@hes/dlms/security/cipher.ts';
import { initializationVector, protect, readEnvelope } from '@hes/dlms/security/protection.ts';
import { getResponse } from '@hes/dlms/xdlms/get.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { inQuadruples, quantile, type Compared } from './interleaved.ts';

const QUADRUPLES = 9;
/** Times all APDUs are opened, every other one by the other way. */
const ROUNDS = 12;
/** Each is opened once on one channel, because each has its own counter. */
const APDUS = 4000;
const CHANNELS = 4;
const PERIOD_SECONDS = 900;
const START_MS = 1_767_225_600_000;
const SHAPE: ProfileShape = { columns: 2 + CHANNELS, clockColumn: 0, capturePeriodSeconds: PERIOD_SECONDS };
const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const METER_TITLE = fromHex('4D4D4D0000BC614E');
const CLIENT_TITLE = fromHex('4845530000000001');
const SECURITY_CONTROL = 0x30;

const round = (value: number): number => Number(value.toPrecision(3));

/** Rows of a load profile that make a response of about so many octets. */
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
  if (item === undefined) throw new Error(`There is no ${index}`);
  return item;
}

/** What comes from a meter: sealed with its title, each with the next counter. */
const sealedOf = (plain: Uint8Array): Uint8Array[] =>
  Array.from({ length: APDUS }, (_, counter) =>
    protect(plain, { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: METER_TITLE, counter, form: 'glo' }),
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

/** Opened, proved, its counter checked, decoded into columns. */
function openOne(channel: SecureChannel, apdu: Uint8Array, rows: number): void {
  const response = readGetResponse(channel.open(apdu));
  if (response.kind !== 'normal' || !response.result.ok) throw new Error('Not the response that was made');
  const table = decodeProfileBuffer(response.result.data, SHAPE);
  if (table.rows !== rows) throw new Error('Rows are missing');
  table.release();
}

/** Opens one APDU after the other, and begins again on a new channel. */
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

interface Raw {
  iv: Uint8Array;
  text: Uint8Array;
  tag: Uint8Array;
}

/** The parts `node:crypto` wants, cut out beforehand. */
function rawOf(apdu: Uint8Array): Raw {
  const { body, invocationCounter } = readEnvelope(apdu);
  const text = body.subarray(0, body.length - TAG_SIZE);
  return { iv: initializationVector(METER_TITLE, invocationCounter), text, tag: body.subarray(text.length) };
}

const AAD = concatOctets(Uint8Array.of(SECURITY_CONTROL), KEYS.ak);

/** The same octets, decrypted and proved by `node:crypto` and nothing else. */
function decryptOne({ iv, text, tag }: Raw, octets: number): void {
  const decipher = createDecipheriv('aes-128-gcm', KEYS.ek, iv, { authTagLength: TAG_SIZE });
  decipher.setAAD(AAD);
  decipher.setAuthTag(tag);
  const plain = decipher.update(text);
  decipher.final();
  if (plain.length !== octets) throw new Error('Octets are missing');
}

function decrypter(raws: readonly Raw[], octets: number): () => void {
  let next = 0;
  return () => decryptOne(at(raws, next++ % raws.length), octets);
}

/** Milliseconds that something took. */
function took(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/**
 * The ratio of the medians of single APDUs, one this way and the next the other: neither what a busy machine takes away
 * nor what the collector takes is in them.
 */
function oneByOne(sealed: readonly Uint8Array[], raws: readonly Raw[], { rows, octets }: { rows: number; octets: number }): number {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const channel = newChannel();
    for (const [i, apdu] of sealed.entries()) {
      if ((i + round) % 2 === 0) ours.push(took(() => openOne(channel, apdu, rows)));
      else theirs.push(took(() => decryptOne(at(raws, i), octets)));
    }
  }
  return quantile(theirs, 0.5) / quantile(ours, 0.5);
}

function compare(rows: number): Compared & { single: number } {
  const plain = responseOf(rows);
  const sealed = sealedOf(plain);
  const raws = sealed.map(rawOf);
  const blocks = inQuadruples(opener(sealed, rows), decrypter(raws, plain.length), QUADRUPLES);
  return { ...blocks, single: oneByOne(sealed, raws, { rows, octets: plain.length }) };
}

/**
 * W3: a protected GET response opened, proved, its counter checked and its rows decoded into columns, against raw GCM of
 * `node:crypto` on the same octets. The ratio is that of the size in the middle, by processor time.
 */
export function run(): { workload: 'W3'; ratio: number; detail: Record<string, number> } {
  const detail: Record<string, number> = {};
  for (const [size, rows] of Object.entries(SIZES)) {
    const { ratio, quartiles, single, product, reference } = compare(rows);
    detail[`ratio ${size}`] = round(ratio);
    detail[`lower quartile ${size}`] = round(quartiles[0]);
    detail[`upper quartile ${size}`] = round(quartiles[1]);
    detail[`ratio of single APDUs ${size}`] = round(single);
    detail[`apdus/s ${size}`] = Math.round(product);
    detail[`raw/s ${size}`] = Math.round(reference);
  }
  return { workload: 'W3', ratio: detail['ratio 1 kB'] ?? Number.NaN, detail };
}
