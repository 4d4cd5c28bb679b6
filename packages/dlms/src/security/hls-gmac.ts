import { newOctets } from '../codec/new-octets.ts';
import { GCM_TAG_LENGTH, equalInConstantTime, type Cipher } from './cipher.ts';
import { initializationVector, protectBody, type SecurityKeys } from './protection.ts';

const AUTHENTICATED = 0x10;
const NOTHING = new Uint8Array(0);
const COUNTER_OFFSET = 1;
const TAG_OFFSET = 5;

/** Octets of an answer to a challenge: security control, counter, tag. */
const ANSWER_SIZE = TAG_OFFSET + GCM_TAG_LENGTH;

/** One side's part in HLS mechanism 5. */
export interface GmacParty {
  cipher: Cipher;
  keys: SecurityKeys;
  /** Of the side that answers. */
  systemTitle: Uint8Array;
  /** The challenge that is answered. */
  challenge: Uint8Array;
  /** 0 when not said. */
  suite?: number | undefined;
}

const controlOf = ({ suite }: GmacParty): number => AUTHENTICATED | (suite ?? 0);

/** SC ‖ IC ‖ GMAC over the peer's challenge: f(StoC) of a client, f(CtoS) of a server. @spec GB 9.2 */
export function computeGmacAnswer(party: GmacParty & { counter: number }): Uint8Array {
  const answer = newOctets(ANSWER_SIZE);
  answer[0] = controlOf(party);
  new DataView(answer.buffer, answer.byteOffset).setUint32(COUNTER_OFFSET, party.counter);
  answer.set(gmac(party, controlOf(party), party.counter), TAG_OFFSET);
  return answer;
}

function gmac({ cipher, keys, systemTitle, challenge }: GmacParty, securityControl: number, counter: number): Uint8Array {
  const iv = initializationVector(systemTitle, counter);
  return protectBody(cipher, { key: keys.ek, ak: keys.ak, iv, securityControl, header: challenge }, NOTHING);
}

/** The counter in a right answer to our challenge; undefined when the answer does not prove the keys. */
export function verifyGmacAnswer(party: GmacParty, answer: Uint8Array): number | undefined {
  const securityControl = answer[0];
  if (answer.length !== ANSWER_SIZE || securityControl !== controlOf(party)) return undefined;
  const counter = new DataView(answer.buffer, answer.byteOffset).getUint32(COUNTER_OFFSET);
  return equalInConstantTime(gmac(party, securityControl, counter), answer.subarray(TAG_OFFSET)) ? counter : undefined;
}
