import { newOctets } from '../codec/new-octets.ts';
import { GCM_TAG_LENGTH, equalInConstantTime, type Cipher } from './cipher.ts';
import { initializationVector, protectBody, type SecurityKeys } from './protection.ts';

const AUTHENTICATED = 0x10;
const NOTHING = new Uint8Array(0);
const COUNTER_OFFSET = 1;
const TAG_OFFSET = 5;

/** Length of an answer: security control, counter and tag. */
const ANSWER_SIZE = TAG_OFFSET + GCM_TAG_LENGTH;

/** The parameters of one side in HLS mechanism 5. */
export interface GmacParty {
  cipher: Cipher;
  keys: SecurityKeys;
  /** System title of the answering side. */
  systemTitle: Uint8Array;
  /** The challenge to answer. */
  challenge: Uint8Array;
  /** Defaults to 0. */
  suite?: number | undefined;
}

const controlOf = ({ suite }: GmacParty): number => AUTHENTICATED | (suite ?? 0);

/** Computes SC ‖ IC ‖ GMAC over the challenge of the peer: f(StoC) in a client, f(CtoS) in a server. @spec GB 9.2 */
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

/** Verifies an answer to our challenge and returns its counter; undefined when it was not made with these keys. */
export function verifyGmacAnswer(party: GmacParty, answer: Uint8Array): number | undefined {
  const securityControl = answer[0];
  if (answer.length !== ANSWER_SIZE || securityControl !== controlOf(party)) return undefined;
  const counter = new DataView(answer.buffer, answer.byteOffset).getUint32(COUNTER_OFFSET);
  return equalInConstantTime(gmac(party, securityControl, counter), answer.subarray(TAG_OFFSET)) ? counter : undefined;
}
