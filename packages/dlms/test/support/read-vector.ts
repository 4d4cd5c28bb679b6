import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { decode } from '../../src/codec/codec.ts';
import { fromHex } from '../../src/codec/hex.ts';
import { dateTimeCodec } from '../../src/cosem/date-time.ts';
import { dataCodec } from '../../src/cosem/data.ts';
import { decodeGateway } from '../../src/framing/gateway.ts';
import { WrapperDeframer, type WrapperFrame } from '../../src/framing/wrapper.ts';
import {
  readCipheredApdu,
  unprotect,
  type CipheredApdu,
  type UnprotectOptions,
  type SecurityKeys,
  type SecurityPolicy,
} from '../../src/security/protection.ts';
import { apduCodec } from '../../src/xdlms/apdu.ts';
import type { Vector } from './vectors.ts';

/** The only frame of a wrapper vector; `undefined` while octets are missing. */
export function frameOf(octets: Uint8Array): WrapperFrame | undefined {
  const deframer = new WrapperDeframer();
  const [frame] = deframer.push(octets);
  if (frame !== undefined && deframer.pending > 0) throw new Error('More than one frame');
  return frame;
}

/** Decodes a message of this kind without keys, to its last field. */
export function readPlain(kind: Vector['kind'], octets: Uint8Array): void {
  if (kind === 'data') decode(dataCodec, octets);
  else if (kind === 'datetime') decode(dateTimeCodec, octets);
  else if (kind === 'pdu') decode(apduCodec, decodeGateway(octets)?.apdu ?? octets);
  else for (const { apdu } of new WrapperDeframer().push(octets)) readPlain('pdu', apdu);
}

/** The policy in a security control octet. */
export function policyOf(securityControl: number): SecurityPolicy {
  if ((securityControl & 0x30) === 0x30) return 'authEnc';
  return (securityControl & 0x10) === 0 ? 'enc' : 'auth';
}

export function keysOf(vector: Vector): SecurityKeys {
  return {
    ek: fromHex(vector.keys?.ek ?? '000102030405060708090A0B0C0D0E0F'),
    ak: fromHex(vector.keys?.ak ?? 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF'),
  };
}

/** The options to unprotect this APDU of this vector. */
export function openingOf(vector: Vector, ciphered: CipheredApdu): UnprotectOptions {
  const { keys } = vector;
  return {
    cipher: nodeCipher,
    keys: keysOf(vector),
    policy: policyOf(ciphered.securityControl),
    systemTitle: ciphered.systemTitle ?? fromHex(keys?.systemTitle ?? ''),
    lastCounter: -1,
    dedicatedKey: keys?.dk === undefined ? undefined : fromHex(keys.dk),
    suite: ciphered.securityControl & 0x0f,
  };
}

/** Unprotects an APDU with the keys of the vector; without keys it stays protected. */
export function openWith(vector: Vector, octets: Uint8Array): Uint8Array | undefined {
  if (vector.keys === undefined) return undefined;
  const ciphered = readCipheredApdu(octets);
  return unprotect(ciphered, openingOf(vector, ciphered));
}
