import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { Attestation } from '@hes/contract/auth/security-key.ts';
import type { Assertion } from '@hes/contract/core/own-proof.ts';

const PRESENT = 1;
const VERIFIED = 4;
const ATTESTED = 64;

const sha256 = (octets: Uint8Array | string): Buffer => createHash('sha256').update(octets).digest();
const text = (octets: Uint8Array): string => Buffer.from(octets).toString('base64url');

/** CBOR (RFC 8949) of short texts. */
const cborText = (word: string): Buffer => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
const cborOctets = (octets: Uint8Array): Buffer => {
  const head = Buffer.alloc(3);
  head.writeUInt8(0x59);
  head.writeUInt16BE(octets.length, 1);
  return Buffer.concat([head, octets]);
};

/** How an answer differs from that of an honest browser and key. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Bits of presence and verification. */
  flags?: number;
  counter?: number;
  /** Name of the attestation format, and its statement in CBOR. */
  attestation?: { format: string; statement: Uint8Array };
}

export interface SoftwareKey {
  id: string;
  /** Answers `navigator.credentials.create`. */
  create(options: { challenge: string; rp: { id: string } }, deviation?: Deviation): Attestation;
  /** Answers `navigator.credentials.get`. */
  get(options: { challenge: string; rpId: string }, deviation?: Deviation): Assertion;
}

/** COSE key (RFC 9053, 7.1.1) of a P-256 key for ES256. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (label: number, value: string) => Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]);
  return Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]), coordinate(0x21, x), coordinate(0x22, y)]);
}

/** A security key in software, with the browser around it. `counts`: its counter grows with each use. */
export function softwareKey({ origin = 'http://localhost', counts = true }: { origin?: string; counts?: boolean } = {}): SoftwareKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = randomBytes(32);
  let uses = 0;
  const clientData = (type: string, challenge: string, deviation: Deviation) =>
    Buffer.from(
      JSON.stringify({ type, challenge: deviation.challenge ?? challenge, origin: deviation.origin ?? origin, crossOrigin: false }),
    );
  const authenticatorData = (rpId: string, flags: number, deviation: Deviation) => {
    uses += counts ? 1 : 0;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviation.counter ?? uses);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.from([flags]), counter]);
  };
  const id = text(credential);
  return {
    id,
    create({ challenge, rp }, deviation = {}) {
      const flags = (deviation.flags ?? PRESENT | VERIFIED) | ATTESTED;
      const data = Buffer.concat([
        authenticatorData(rp.id, flags, deviation),
        Buffer.alloc(16),
        Buffer.from([0, credential.length]),
        credential,
        coseOf(publicKey),
      ]);
      const { format, statement } = deviation.attestation ?? { format: 'none', statement: Buffer.from([0xa0]) };
      const parts = [Buffer.from([0xa3]), cborText('fmt'), cborText(format), cborText('attStmt'), statement, cborText('authData')];
      const attestationObject = text(Buffer.concat([...parts, cborOctets(data)]));
      const clientDataJSON = text(clientData('webauthn.create', challenge, deviation));
      return { id, rawId: id, type: 'public-key', response: { clientDataJSON, attestationObject, transports: ['usb'] } };
    },
    get({ challenge, rpId }, deviation = {}) {
      const data = authenticatorData(rpId, deviation.flags ?? PRESENT | VERIFIED, deviation);
      const client = clientData('webauthn.get', challenge, deviation);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) };
      return { id, rawId: id, type: 'public-key', response };
    },
  };
}
