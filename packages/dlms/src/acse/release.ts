import type { ByteWriter } from '../codec/byte-writer.ts';
import { prefixed, type Codec } from '../codec/codec.ts';
import { userInformation } from './user-information.ts';

/** Release request or response (RLRQ, RLRE). */
export interface Release {
  /** 0 normal, 1 urgent or not finished, 30 user defined. */
  reason?: number;
  /** In a ciphered association a protected initiate APDU, which authenticates the sender. */
  userInformation?: Uint8Array;
}

const REASON = 0x80;
const USER_INFORMATION = 0xbe;

/**
 * Fields of a release. Field lengths are ignored, because several servers (every Gurux one) write them too small, and a rejected release
 * would leave the association open.
 */
const fields: Codec<Release> = {
  read: (input) => {
    const value: Release = {};
    input.length();
    while (input.left > 0) {
      const tag = input.uint8();
      input.length();
      if (tag === REASON && value.reason === undefined) value.reason = input.field('reason', () => input.uint8());
      else if (tag === USER_INFORMATION && value.userInformation === undefined)
        value.userInformation = input.field('userInformation', () => userInformation.read(input));
      else input.fail({ code: 'UNKNOWN_TAG', tag });
    }
    return value;
  },
  write: (out, value) => out.delimited(writeFields, value),
};

function writeFields(out: ByteWriter, { reason, userInformation: information }: Release): void {
  if (reason !== undefined) for (const octet of [REASON, 1, reason]) out.uint8(octet);
  if (information === undefined) return;
  out.uint8(USER_INFORMATION);
  out.delimited(userInformation.write, information);
}

/** Codec of a release APDU with this tag. @spec GB 9.5 (rlrq, rlre) */
export const release = (tag: number): Codec<Release> => prefixed(tag, fields);
