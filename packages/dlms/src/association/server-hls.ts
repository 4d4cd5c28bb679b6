import { decode, encode } from '../codec/codec.ts';
import { dataCodec, octetString } from '../cosem/data.ts';
import { actionRequest, actionResponse } from '../xdlms/action.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { readRequest, readResponse } from '../xdlms/read.ts';
import { NOT_ALLOWED } from './server-refusal.ts';

const ASSOCIATION_LN = 15;
const REPLY_TO_HLS = 1;
/** Short name of the same method of Association SN. @spec BB 4 (reply_to_HLS_authentication) */
const REPLY_TO_HLS_SN = 0xfa58;
const NAME_MASK = 0xffff;

/** HLS pass 3, and the encoder of pass 4; without octets it refuses the client. */
export interface HlsPasses {
  proof: Uint8Array;
  answer(octets: Uint8Array | undefined): Uint8Array;
}

/** Reads pass 3. Throws `Refusal` for any other request, and `DecodeError` if it is broken. */
export function proofByLogicalName(request: Uint8Array): HlsPasses {
  if (request[0] !== APDU_TAGS.actionRequest) throw NOT_ALLOWED;
  const action = decode(actionRequest, request);
  if (action.kind !== 'normal' || action.method.classId !== ASSOCIATION_LN || action.method.methodId !== REPLY_TO_HLS) throw NOT_ALLOWED;
  const { invoke, argument } = action;
  return {
    proof: decode(octetString, argument ?? new Uint8Array(0)),
    answer: (octets) =>
      encode(actionResponse, {
        kind: 'normal',
        invoke,
        ...(octets ? { result: 'success', returned: { ok: true, data: encode(octetString, octets) } } : { result: 'readWriteDenied' }),
      }),
  };
}

/** Reads pass 3. Throws `Refusal` for any other request, and `DecodeError` if it is broken. */
export function proofByShortName(request: Uint8Array): HlsPasses {
  if (request[0] !== APDU_TAGS.readRequest) throw NOT_ALLOWED;
  const [reply, ...more] = decode(readRequest, request).specifications;
  if (reply?.kind !== 'parameterizedAccess' || (reply.variableName & NAME_MASK) !== REPLY_TO_HLS_SN || more.length > 0) throw NOT_ALLOWED;
  return {
    proof: decode(octetString, encode(dataCodec, reply.parameter)),
    answer: (octets) =>
      encode(readResponse, {
        results: [octets ? { kind: 'data', data: encode(octetString, octets) } : { kind: 'dataAccessError', result: 'readWriteDenied' }],
      }),
  };
}
