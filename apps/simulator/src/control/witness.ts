import { appendFileSync } from 'node:fs';
import { aarq } from '@hes/dlms/acse/aarq.ts';
import { rlrq } from '@hes/dlms/acse/rlrq.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';

/** What the field can swear to about a head-end. One line of JSON each. */
export type Testimony =
  /** A counter that was used to protect something for a device, whether or not it got there. */
  | { t: 'counter'; sn: string; counter: number }
  /** A relay carried out an order. */
  | { t: 'switched'; sn: string; to: string; at: number }
  /** A meter told something unasked, perhaps not for the first time; and the head-end said that it has it. */
  | { t: 'pushed' | 'confirmed'; sn: string; number: number };

/** Writes down what a head-end does, so that somebody can judge it afterwards. */
export interface Witness {
  /** Octets for the DCU or, behind its gateway, a meter, before any fault can touch them. */
  heard(dcuSn: string, apdu: Uint8Array): void;
  /** The same without protection, as the device opened it: the proof of identity counts, too. */
  opened(sn: string, plain: Uint8Array): void;
  switched(sn: string, to: string): void;
  told(sn: string, what: 'pushed' | 'confirmed', number: number): void;
}

/** Tags of APDUs under the global key, and general-glo-ciphering, which says its title first. */
const GLOBAL: ReadonlySet<number> = new Set([0x21, 0xc8, 0xc9, 0xcb]);
const GENERAL_GLOBAL = 0xdb;
/** @spec GB 9.2.7.4.4: security control, invocation counter and tag make the proof of HLS with GMAC. */
const PROOF_OCTETS = 17;
const ASSOCIATION_METHOD_1 = /^c301..000f0000280000ff01/;
const GATEWAY_TAGS: ReadonlySet<number> = new Set([0xe6, 0xe7]);

/** The invocation counter in the head of a protected APDU; undefined: it is not protected. */
function counterIn(apdu: Uint8Array): number | undefined {
  const tag = apdu[0] ?? 0;
  if (tag === APDU_TAGS.aarq || tag === APDU_TAGS.rlrq) {
    const { userInformation } = tag === APDU_TAGS.aarq ? decode(aarq, apdu) : decode(rlrq, apdu);
    return userInformation === undefined ? undefined : counterIn(userInformation);
  }
  if (!GLOBAL.has(tag) && tag !== GENERAL_GLOBAL) return undefined;
  let at = tag === GENERAL_GLOBAL ? 2 + (apdu[1] ?? 0) : 1;
  const length = apdu[at++] ?? 0;
  if (length > 0x80) at += length - 0x80;
  return new DataView(apdu.buffer, apdu.byteOffset, apdu.byteLength).getUint32(at + 1);
}

/** Appends to a file. Every line is there before the device goes on. */
export const writtenTo =
  (file: string) =>
  (testimony: Testimony): void =>
    appendFileSync(file, `${JSON.stringify(testimony)}\n`);

export function createWitness(tell: (testimony: Testimony) => void, now: () => number): Witness {
  const count = (sn: string, apdu: Uint8Array): void => {
    try {
      const counter = counterIn(apdu);
      if (counter !== undefined) tell({ t: 'counter', sn, counter });
    } catch (error) {
      // Nothing that could be opened, so nothing that was protected.
      if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
    }
  };
  return {
    heard(dcuSn, apdu) {
      const gateway = GATEWAY_TAGS.has(apdu[0] ?? 0) ? decodeGateway(apdu) : undefined;
      if (gateway === undefined) count(dcuSn, apdu);
      else count(String.fromCharCode(...gateway.address), gateway.apdu);
    },
    opened(sn, plain) {
      const hex = Buffer.from(plain).toString('hex');
      if (!ASSOCIATION_METHOD_1.test(hex)) return;
      const proof = plain.subarray(plain.length - PROOF_OCTETS);
      tell({ t: 'counter', sn, counter: new DataView(proof.buffer, proof.byteOffset).getUint32(1) });
    },
    switched: (sn, to) => tell({ t: 'switched', sn, to, at: now() }),
    told: (sn, t, number) => tell({ t, sn, number }),
  };
}
