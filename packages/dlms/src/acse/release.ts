import { prefixed, type Codec } from '../codec/codec.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { userInformation } from './user-information.ts';

/** Ends an association, or answers that. */
export interface Release {
  /** 0 normal, 1 urgent or not finished, 30 user defined. */
  reason?: number;
  /** With ciphering: an initiate APDU, so that a stranger cannot end the association. */
  userInformation?: Uint8Array;
}

const REASON = 0x80;
const USER_INFORMATION = 0xbe;

/**
 * Fields of a release. Their lengths are read and not believed: several servers (all of Gurux) write them too small,
 * and a release that is not understood would leave the association open.
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
  write: (out, value) => {
    const content = new ByteWriter();
    if (value.reason !== undefined) content.bytes(Uint8Array.of(REASON, 1, value.reason));
    if (value.userInformation !== undefined) {
      const information = new ByteWriter();
      userInformation.write(information, value.userInformation);
      content.uint8(USER_INFORMATION);
      content.length(information.size);
      content.bytes(information.finish());
    }
    out.length(content.size);
    out.bytes(content.finish());
  },
};

/** A release APDU under its tag. @spec GB 9.5 (rlrq, rlre) */
export const release = (tag: number): Codec<Release> => prefixed(tag, fields);
