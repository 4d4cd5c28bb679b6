import { enumeration, prefixed, type Codec, type ValueOf } from '../codec/codec.ts';

const stateError = enumeration({ serviceNotAllowed: 1, serviceUnknown: 2 });

const serviceError = enumeration({
  operationNotPossible: 1,
  serviceNotSupported: 2,
  otherReason: 3,
  pduTooLong: 4,
  decipheringError: 5,
  invocationCounterError: 6,
});

export interface ExceptionResponse {
  stateError: ValueOf<typeof stateError>;
  serviceError: ValueOf<typeof serviceError>;
  /** The lowest counter that the server accepts; only with `invocationCounterError`, and not from every server. */
  invocationCounter?: number;
}

/**
 * ```asn1
 * EXCEPTION-Response ::= SEQUENCE {
 *   state-error   [0] IMPLICIT ENUMERATED,
 *   service-error [1] CHOICE { ..., invocation-counter-error [6] IMPLICIT Unsigned32 } }
 * ```
 * @spec GB 9.5 (exception-response [216])
 */
export const exceptionResponse: Codec<ExceptionResponse> = prefixed(0xd8, {
  read: (input) => {
    const state = input.field('stateError', () => stateError.read(input));
    const service = input.field('serviceError', () => serviceError.read(input));
    if (service !== 'invocationCounterError' || input.left === 0) return { stateError: state, serviceError: service };
    return { stateError: state, serviceError: service, invocationCounter: input.field('invocationCounter', () => input.uint32()) };
  },
  write: (out, value) => {
    stateError.write(out, value.stateError);
    serviceError.write(out, value.serviceError);
    if (value.serviceError === 'invocationCounterError' && value.invocationCounter !== undefined) out.uint32(value.invocationCounter);
  },
});
