import { encode } from '@hes/dlms/codec/codec.ts';
import { octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { dataNotification } from '@hes/dlms/xdlms/data-notification.ts';

const IDENTIFICATION = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
const KIND = { hello: 0, heartbeat: 1 } as const;
const MAX_INVOKE_ID = 0x00ff_ffff;

/** A push of the DCU itself: identification on connecting, and heartbeats. See docs/dcu-profile.md. */
export function encodeIdentification(kind: keyof typeof KIND, sn: string, systemTitle: Uint8Array, number: number): Uint8Array {
  return encode(dataNotification, {
    longInvoke: { id: number % MAX_INVOKE_ID, selfDescriptive: false, breakOnError: false, confirmed: false, highPriority: false },
    dateTime: undefined,
    body: encode(IDENTIFICATION, { name: Uint8Array.from(sn, (letter) => letter.charCodeAt(0)), systemTitle, kind: KIND[kind] }),
  });
}
