import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import type { Codec } from '../codec/codec.ts';

/**
 * Tags of protected APDUs: `glo` under the global key, `ded` under the dedicated key of the association.
 * @spec GB 9.5 (XDLMS-APDU)
 */
export const CIPHERED_TAGS = {
  gloInitiateRequest: 0x21,
  gloInitiateResponse: 0x28,
  gloConfirmedServiceError: 0x2e,
  dedInitiateRequest: 0x41,
  dedInitiateResponse: 0x48,
  dedConfirmedServiceError: 0x4e,
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

/** A protected APDU before it is opened: what stands outside of the protection, and the protected body. */
export interface CipheredApdu {
  /** Which key, and which service it promises to hold. */
  name: CipheredName;
  /** Only of general ciphering; empty (`00`) means the title of the association. */
  systemTitle?: Uint8Array | undefined;
  /** Bits 0–3 suite, 4 authenticated, 5 encrypted, 6 broadcast key, 7 compressed. */
  securityControl: number;
  invocationCounter: number;
  /** Cipher text or plain text, then the tag if authenticated. */
  body: Uint8Array;
}

/** Whether the APDU with this first octet is a protected one. */
export const isCipheredTag = (tag: number): boolean => NAMES.has(tag);

/** The tag under which a plain APDU travels when its service has a ciphered form of its own. */
export function serviceCipheredTag(plainTag: number, key: 'glo' | 'ded'): number | undefined {
  if (plainTag === 0x01 || plainTag === 0x08 || plainTag === 0x0e) return plainTag + (key === 'glo' ? 0x20 : 0x40);
  const tag = plainTag + (key === 'glo' ? 0x08 : 0x10);
  return plainTag >= 0xc0 && plainTag <= 0xc7 && NAMES.has(tag) ? tag : undefined;
}

const isGeneral = (name: CipheredName): boolean => name === 'generalGloCiphering' || name === 'generalDedCiphering';

function read(input: ByteReader): CipheredApdu {
  const tag = input.uint8();
  const name = NAMES.get(tag) ?? input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
  const systemTitle = isGeneral(name) ? input.field('systemTitle', () => input.bytes(input.length())) : undefined;
  const content = input.slice(input.length());
  const securityControl = content.field('securityControl', () => content.uint8());
  const invocationCounter = content.field('invocationCounter', () => content.uint32());
  const body = content.field('body', () => content.bytes(content.left));
  return { name, systemTitle, securityControl, invocationCounter, body };
}

function write(out: ByteWriter, value: CipheredApdu): void {
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
export const cipheredApdu: Codec<CipheredApdu> = { read, write };
