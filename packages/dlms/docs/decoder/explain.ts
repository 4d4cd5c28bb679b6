import { annotate, apduCodec, dataCodec, DecodeError, fromHex, type AnnotatedNode, type Cipher } from '@hes/dlms/entry/root.ts';
import { readCipheredApdu, unprotect, type SecurityPolicy } from '@hes/dlms/entry/client.ts';
import { annotateWire, decodeGateway, payloadOnWire } from '@hes/dlms/entry/hdlc.ts';
import { counted, sentenceOf } from './sentence.ts';

/** Texts of the form, as they were typed. */
export interface Question {
  message: string;
  /** Encryption key, or dedicated key; empty without. */
  ek: string;
  /** Authentication key; empty without. */
  ak: string;
  /** System title of the sender, for messages that do not contain it; empty without. */
  title: string;
  /** Whether the octets are one value of the type Data instead of a message. */
  isData: boolean;
}

/** A tree, and the octets that its offsets count in. */
export interface Section {
  name: 'message' | 'content' | 'plaintext';
  octets: Uint8Array;
  nodes: AnnotatedNode[];
}

export interface Explanation {
  sections: Section[];
  /** A sentence about the input or the octets; undefined when all of them are understood. */
  fault: string | undefined;
  /** A sentence about what else would be shown. */
  hint: string | undefined;
}

const FLAG = 0x7e;
const MBUS_START = 0x68;
const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const SUITE_MASK = 0x0f;
const KEY_SIZES: readonly number[] = [16, 32];
const TITLE_SIZE = 8;

/** A fault of the form. Its message is a sentence. */
class InputError extends Error {}

/** Octets of a text in hex; spaces, commas, colons, hyphens and `0x` are ignored. */
function octetsOf(name: string, text: string): Uint8Array {
  const digits = text.replaceAll(/0x|[\s,:;-]/gi, '');
  const wrong = /[^0-9a-f]/i.exec(digits)?.[0];
  if (wrong !== undefined) throw new InputError(`${name} contains "${wrong}", which is not a hexadecimal digit (0 to 9, A to F).`);
  if (digits.length % 2 !== 0)
    throw new InputError(`${name} has ${digits.length} hexadecimal digits. An octet has two, so one is missing or too many.`);
  return fromHex(digits);
}

function sizedOctets(name: string, text: string, sizes: readonly number[]): Uint8Array | undefined {
  if (text.trim() === '') return undefined;
  const octets = octetsOf(name, text);
  if (sizes.includes(octets.length)) return octets;
  throw new InputError(`${name} has ${counted(octets.length, 'octet')}. It should have ${sizes.join(' or ')}.`);
}

const isFramed = (octets: Uint8Array): boolean =>
  octets[0] === FLAG || (octets[0] === MBUS_START && octets[3] === MBUS_START) || (octets[0] === 0 && octets[1] === 1);

/** The message says how it is protected: there is no association that has agreed on it. */
function policyOf(securityControl: number): SecurityPolicy {
  if ((securityControl & AUTHENTICATED) === 0) return 'enc';
  return (securityControl & ENCRYPTED) === 0 ? 'auth' : 'authEnc';
}

interface Opened {
  plain?: Uint8Array;
  hint?: string;
}

/** The plain APDU of a ciphered one; neither plaintext nor hint for any other APDU. Throws `DecodeError`. */
function open(apdu: Uint8Array, question: Question, cipher: Cipher): Opened {
  const ciphered = cipheredOf(apdu);
  if (ciphered === undefined) return {};
  const ek = sizedOctets('The encryption key', question.ek, KEY_SIZES);
  const ak = sizedOctets('The authentication key', question.ak, KEY_SIZES);
  const systemTitle = ciphered.systemTitle ?? sizedOctets('The system title', question.title, [TITLE_SIZE]);
  const policy = policyOf(ciphered.securityControl);
  if (ek === undefined) return { hint: 'This message is ciphered. Give the encryption key to see its content.' };
  if (ak === undefined && policy !== 'enc')
    return { hint: 'This message is authenticated. Give the authentication key, too: without it nothing proves the content.' };
  if (systemTitle === undefined)
    return { hint: 'This message does not contain the system title of its sender. Give it to see the content.' };
  const keys = { ek, ak: ak ?? new Uint8Array(ek.length) };
  const suite = ciphered.securityControl & SUITE_MASK;
  return { plain: unprotect(ciphered, { cipher, keys, dedicatedKey: ek, policy, systemTitle, lastCounter: -1, suite }) };
}

function cipheredOf(apdu: Uint8Array): ReturnType<typeof readCipheredApdu> | undefined {
  try {
    return readCipheredApdu(apdu);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const dataField: typeof dataCodec = { ...dataCodec, read: (input) => input.field('data', () => dataCodec.read(input)) };

function annotateMessage(octets: Uint8Array, isData: boolean): { nodes: AnnotatedNode[]; error?: DecodeError } {
  if (isData) return annotate(dataField, octets);
  return isFramed(octets) ? annotateWire(octets) : annotate(apduCodec, octets);
}

/** Adds a section for octets, and for what they contain; returns the rest of the explanation. */
function explainInto(
  sections: Section[],
  name: Section['name'],
  octets: Uint8Array,
  question: Question,
  cipher: Cipher,
): Omit<Explanation, 'sections'> {
  const gateway = question.isData || isFramed(octets) ? undefined : decodeGateway(octets);
  if (gateway !== undefined) return explainInto(sections, 'content', gateway.apdu, question, cipher);
  const { nodes, error } = annotateMessage(octets, question.isData);
  sections.push({ name, octets, nodes });
  if (error !== undefined) return { fault: sentenceOf(error), hint: undefined };
  if (question.isData) return { fault: undefined, hint: undefined };
  const payload = isFramed(octets) ? payloadOnWire(octets) : octets;
  const { plain, hint } = open(decodeGateway(payload)?.apdu ?? payload, question, cipher);
  if (plain === undefined) return { fault: undefined, hint };
  return explainInto(sections, 'plaintext', plain, { ...question, isData: false }, cipher);
}

/** Explains a message field by field. Never fails: a fault is a sentence, beside the fields before it. */
export function explain(question: Question, cipher: Cipher): Explanation {
  const sections: Section[] = [];
  try {
    const octets = octetsOf('The message', question.message);
    if (octets.length === 0) return { sections, fault: undefined, hint: undefined };
    return { sections, ...explainInto(sections, 'message', octets, question, cipher) };
  } catch (error) {
    if (error instanceof InputError) return { sections, fault: error.message, hint: undefined };
    if (error instanceof DecodeError) return { sections, fault: sentenceOf(error), hint: undefined };
    throw error;
  }
}
