import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { dataNotification } from '@hes/dlms/xdlms/data-notification.ts';

/** What a DCU says when it dials in, and at every heartbeat. See docs/dcu-profile.md. */
export interface Greeting {
  /** Its logical device name: the serial number. */
  name: string;
  systemTitle: Uint8Array;
  kind: 'hello' | 'heartbeat';
}

const body = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
const NAME = /^[\x21-\x7e]{1,64}$/;
const HEARTBEAT = 1;

/** The greeting in an APDU; undefined when it is something else. */
export function greetingIn(apdu: Uint8Array): Greeting | undefined {
  try {
    const { name, systemTitle, kind } = decode(body, decode(dataNotification, apdu).body);
    const text = Buffer.from(name).toString('latin1');
    // A name is stored and shown: nothing but what a serial number may hold gets that far.
    if (!NAME.test(text)) return undefined;
    return { name: text, systemTitle, kind: kind === HEARTBEAT ? 'heartbeat' : 'hello' };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
