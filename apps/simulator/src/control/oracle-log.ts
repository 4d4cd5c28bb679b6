import { appendFileSync } from 'node:fs';
import { aarq } from '@hes/dlms/acse/aarq.ts';
import { rlrq } from '@hes/dlms/acse/rlrq.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';

/** One entry of the oracle log, a line of JSON: facts about a head-end as the field observes them. */
export type OracleEntry =
  /** An invocation counter that the head-end used towards a device, whether or not the APDU arrived. */
  | { t: 'counter'; sn: string; counter: number }
  /** A relay executed a command. */
  | { t: 'switched'; sn: string; to: string; at: number }
  /** A meter sent a push, possibly a repetition; or the head-end confirmed it. */
  | { t: 'pushed' | 'confirmed'; sn: string; number: number };

/** Records the behaviour of a head-end for later judgement. */
export interface OracleLog {
  /** Records an APDU for the DCU or, behind its gateway, a meter, before any fault applies. */
  recordRequest(dcuSn: string, apdu: Uint8Array): void;
  /** Records a deciphered APDU: the f(StoC) of HLS pass 3 carries a counter, too. */
  recordPlain(sn: string, plain: Uint8Array): void;
  recordSwitch(sn: string, to: string): void;
  recordPush(sn: string, what: 'pushed' | 'confirmed', number: number): void;
}

/** Tags of APDUs under the global key. general-glo-ciphering begins with its system title. */
const GLOBAL: ReadonlySet<number> = new Set([0x21, 0xc8, 0xc9, 0xcb]);
const GENERAL_GLOBAL = 0xdb;
/** @spec GB 9.2.7.4.4: security control, invocation counter and tag make f(StoC) of HLS with GMAC. */
const HLS_GMAC_OCTETS = 17;
const ASSOCIATION_METHOD_1 = /^c301..000f0000280000ff01/;
const GATEWAY_TAGS: ReadonlySet<number> = new Set([0xe6, 0xe7]);

/** The invocation counter in the header of a protected APDU; undefined for an unprotected one. */
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

/** Appends to a file. The write is synchronous: an entry is in the file before the device continues. */
export const appendJsonLines =
  (file: string) =>
  (entry: OracleEntry): void =>
    appendFileSync(file, `${JSON.stringify(entry)}\n`);

export function createOracleLog(append: (entry: OracleEntry) => void, now: () => number): OracleLog {
  const recordCounter = (sn: string, apdu: Uint8Array): void => {
    try {
      const counter = counterIn(apdu);
      if (counter !== undefined) append({ t: 'counter', sn, counter });
    } catch (error) {
      // The APDU cannot be decoded, so it carries no counter.
      if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
    }
  };
  return {
    recordRequest(dcuSn, apdu) {
      const gateway = GATEWAY_TAGS.has(apdu[0] ?? 0) ? decodeGateway(apdu) : undefined;
      if (gateway === undefined) recordCounter(dcuSn, apdu);
      else recordCounter(String.fromCharCode(...gateway.address), gateway.apdu);
    },
    recordPlain(sn, plain) {
      const hex = Buffer.from(plain).toString('hex');
      if (!ASSOCIATION_METHOD_1.test(hex)) return;
      const response = plain.subarray(plain.length - HLS_GMAC_OCTETS);
      append({ t: 'counter', sn, counter: new DataView(response.buffer, response.byteOffset).getUint32(1) });
    },
    recordSwitch: (sn, to) => append({ t: 'switched', sn, to, at: now() }),
    recordPush: (sn, t, number) => append({ t, sn, number }),
  };
}
