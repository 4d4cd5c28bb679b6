import { encode } from '../codec/codec.ts';
import { actionRequest } from '../xdlms/action.ts';
import type { Invoke } from '../xdlms/invoke.ts';
import { setRequest } from '../xdlms/set.ts';
import { unconfirmedWriteRequest } from '../xdlms/write.ts';
import { AssociationError } from './association-error.ts';
import type { InvokeItem, SetItem } from './client-writes.ts';
import { assertGranted, type Granted } from './request-limits.ts';
import type { ShortNameWrite } from './short-name-requests.ts';

/** A request without a response. A read is none: its only purpose is the response. */
export type UnconfirmedRequest = { set: SetItem } | { invoke: InvokeItem };

/** The invoke id is set by the dialogue. */
const UNCONFIRMED: Invoke = { id: 0, confirmed: false, highPriority: true };

/**
 * Encodes a request of the service class *unconfirmed*. Throws `AssociationError`: `NOT_GRANTED`, or `BLOCK_ERROR` when it takes more than
 * one APDU, because the next block follows an acknowledgement.
 * @spec GB 9.3 (service class of SET and ACTION)
 */
export function encodeUnconfirmed(request: UnconfirmedRequest, { conformance, room }: Granted): Uint8Array {
  const isWrite = 'set' in request;
  assertGranted(
    { conformance, room },
    isWrite && request.set.selection !== undefined ? ['set', 'selectiveAccess'] : [isWrite ? 'set' : 'action'],
  );
  const apdu = isWrite
    ? encode(setRequest, {
        kind: 'normal',
        invoke: UNCONFIRMED,
        attribute: request.set.ref,
        selection: request.set.selection,
        data: request.set.data,
      })
    : encode(actionRequest, { kind: 'normal', invoke: UNCONFIRMED, method: request.invoke.ref, argument: request.invoke.argument });
  return assertFits(apdu, room);
}

/**
 * Encodes a write by short name that has no response. Throws like `encodeUnconfirmed`.
 * @spec GB 9.3 (UnconfirmedWrite service)
 */
export function encodeUnconfirmedWrite({ specification, data }: ShortNameWrite, { conformance, room }: Granted): Uint8Array {
  const isParameterized = specification.kind === 'parameterizedAccess';
  assertGranted({ conformance, room }, isParameterized ? ['unconfirmedWrite', 'parameterizedAccess'] : ['unconfirmedWrite']);
  return assertFits(encode(unconfirmedWriteRequest, { specifications: [specification], data: [data] }), room);
}

function assertFits(apdu: Uint8Array, room: number): Uint8Array {
  if (apdu.length <= room) return apdu;
  throw new AssociationError('BLOCK_ERROR', `a request of ${apdu.length} octets without response in ${room}`);
}
