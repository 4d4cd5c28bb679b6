import { decode } from '@hes/dlms/codec/codec.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { dataNotification } from '@hes/dlms/xdlms/data-notification.ts';
import { decodedBy } from './decoded.ts';

/** The push with which a DCU identifies itself after dialling in, and at every heartbeat. See docs/dcu-profile.md. */
export interface Identification {
  /** Logical device name, equal to the serial number. */
  name: string;
  systemTitle: Uint8Array;
  kind: 'hello' | 'heartbeat';
}

const body = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
const NAME = /^[\x21-\x7e]{1,64}$/;
const HEARTBEAT = 1;

/** Decodes an identification; undefined when the APDU is something else. */
export function decodeIdentification(apdu: Uint8Array): Identification | undefined {
  const read = decodedBy(() => decode(body, decode(dataNotification, apdu).body));
  if (!read.ok) return undefined;
  const { name, systemTitle, kind } = read.value;
  const text = Buffer.from(name).toString('latin1');
  // The name is stored and displayed, so only characters of serial numbers are accepted.
  if (!NAME.test(text)) return undefined;
  return { name: text, systemTitle, kind: kind === HEARTBEAT ? 'heartbeat' : 'hello' };
}
