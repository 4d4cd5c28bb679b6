import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import type { Codec } from '../codec/codec.ts';

/** Tags of ciphered APDUs: `glo` under the global key, `ded` under the dedicated key of the association. @spec GB 9.5 (XDLMS-APDU) */
export const CIPHERED_TAGS = {
  gloInitiateRequest: 0x21,
  gloInitiateResponse: 0x28,
  gloReadRequest: 0x25,
  gloWriteRequest: 0x26,
  gloReadResponse: 0x2c,
  gloWriteResponse: 0x2d,
  gloConfirmedServiceError: 0x2e,
  gloUnconfirmedWriteRequest: 0x36,
  gloInformationReportRequest: 0x38,
  dedInitiateRequest: 0x41,
  dedReadRequest: 0x45,
  dedWriteRequest: 0x46,
  dedInitiateResponse: 0x48,
  dedReadResponse: 0x4c,
  dedWriteResponse: 0x4d,
  dedConfirmedServiceError: 0x4e,
  dedUnconfirmedWriteRequest: 0x56,
  dedInformationReportRequest: 0x58,
  gloGetRequest: 0xc8,
  gloSetRequest: 0xc9,
  gloEventNotification: 0xca,
  gloActionRequest: 0xcb,
  gloGetResponse: 0xcc,
  gloSetResponse: 0xcd,
  gloActionResponse: 0xcf,
  dedGetRequest: 0xd0,
  dedSetRequest: 0xd1,
  dedEventNotification: 0xd2,
  dedActionRequest: 0xd3,
  dedGetResponse: 0xd4,
  dedSetResponse: 0xd5,
  dedActionResponse: 0xd7,
  generalGloCiphering: 0xdb,
  generalDedCiphering: 0xdc,
} as const;
export type CipheredName = keyof typeof CIPHERED_TAGS;

const NAMES = new Map(Object.entries(CIPHERED_TAGS).map(([name, tag]) => [tag as number, name as CipheredName])); // as: entries() widens

/** Plain APDUs with a service-specific ciphered form. */
export const PLAIN_TAGS: ReadonlySet<number> = new Set([
  0x01, 0x05, 0x06, 0x08, 0x0c, 0x0d, 0x0e, 0x16, 0x18, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc7,
]);

/** Fields of a ciphered APDU: the header outside the protection, and the protected body. */
export interface CipheredApduFields {
  /** The key and the service that the tag announces. */
  name: CipheredName;
  /** General forms only; empty (`00`) means the title agreed in the association. */
  systemTitle?: Uint8Array | undefined;
  /** Bits 0–3 suite, 4 authenticated, 5 encrypted, 6 broadcast key, 7 compressed. */
  securityControl: number;
  invocationCounter: number;
  /** Ciphertext or plaintext, followed by the tag if authenticated. */
  body: Uint8Array;
}

/** Whether this first octet begins a ciphered APDU. */
export const isCipheredTag = (tag: number): boolean => NAMES.has(tag);

/** Tags below this one belong to initiate, errors and short names, whose ciphered tags have a different offset. */
const FIRST_LN_TAG = 0xc0;

/** The service-specific ciphered tag of a plain APDU, if it has one. */
export function serviceCipheredTag(plainTag: number, key: 'glo' | 'ded'): number | undefined {
  const [low, high] = key === 'glo' ? [0x20, 0x08] : [0x40, 0x10];
  const tag = plainTag + (plainTag < FIRST_LN_TAG ? low : high);
  // Restricted to known plain tags: DATA-NOTIFICATION has no such form, but its tag plus the offset is another glo tag.
  return PLAIN_TAGS.has(plainTag) && NAMES.has(tag) ? tag : undefined;
}

const AUTHENTICATED = 0x10;
/** Octets of the GCM tag at the end of an authenticated body. @spec GB 9.2 */
const GCM_TAG_LENGTH = 12;

const isGeneral = (name: CipheredName): boolean => name === 'generalGloCiphering' || name === 'generalDedCiphering';

function read(input: ByteReader): CipheredApduFields {
  const tag = input.uint8();
  const name = NAMES.get(tag) ?? input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
  const systemTitle = isGeneral(name) ? input.field('systemTitle', () => input.bytes(input.length())) : undefined;
  const content = input.slice(input.length());
  const securityControl = content.field('securityControl', () => content.uint8());
  const invocationCounter = content.field('invocationCounter', () => content.uint32());
  const isAuthenticated = (securityControl & AUTHENTICATED) !== 0;
  if (isAuthenticated && content.left < GCM_TAG_LENGTH) content.fail({ code: 'TRUNCATED', needed: GCM_TAG_LENGTH, left: content.left });
  const body = content.field('body', () => content.bytes(content.left));
  return { name, systemTitle, securityControl, invocationCounter, body };
}

function write(out: ByteWriter, value: CipheredApduFields): void {
  out.uint8(CIPHERED_TAGS[value.name]);
  if (isGeneral(value.name)) {
    out.length(value.systemTitle?.length ?? 0);
    if (value.systemTitle !== undefined) out.bytes(value.systemTitle);
  }
  out.length(1 + 4 + value.body.length);
  out.uint8(value.securityControl);
  out.uint32(value.invocationCounter);
  out.bytes(value.body);
}

/**
 * ```asn1
 * glo-get-request        [200] IMPLICIT OCTET STRING     -- and all other service-specific forms
 * general-glo-ciphering  [219] IMPLICIT SEQUENCE { system-title OCTET STRING, ciphered-content OCTET STRING }
 *   -- content: security-control, invocation-counter Unsigned32, protected APDU
 * ```
 * @spec GB 9.5 (XDLMS-APDU)
 */
export const cipheredApdu: Codec<CipheredApduFields> = { read, write };
