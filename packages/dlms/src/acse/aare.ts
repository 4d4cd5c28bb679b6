import { rest, type Codec } from '../codec/codec.ts';
import { berField, berFields, berInteger, berOctets, firstBit, tagged, type OtherField } from './ber.ts';
import {
  applicationContext,
  associationResult,
  diagnostic,
  mechanismName,
  type ApplicationContext,
  type Diagnostic,
  type MechanismName,
} from './names.ts';
import { userInformation } from './user-information.ts';

/** Association response (AARE). */
export interface Aare {
  protocolVersion?: Uint8Array;
  applicationContext: ApplicationContext;
  result: 'accepted' | 'rejectedPermanent' | 'rejectedTransient';
  diagnostic: Diagnostic;
  /** System title of the server: the first part of the IV of its APDUs. */
  respondingApTitle?: Uint8Array;
  respondingAeQualifier?: Uint8Array;
  /** The field as raw octets: an INTEGER by the standard, but Gurux servers with HLS SHA-256 repeat their system title. */
  respondingApInvocationId?: Uint8Array;
  respondingAeInvocationId?: number;
  authenticationRequirement?: boolean;
  mechanism?: MechanismName;
  /** The server's challenge. */
  authenticationValue?: Uint8Array;
  /** An encoded InitiateResponse or ConfirmedServiceError, plain or ciphered; a rejection may omit it. */
  userInformation?: Uint8Array;
  others?: OtherField[];
}

const fields = tagged(
  0x61,
  berFields({
    protocolVersion: berField(0x80, rest),
    applicationContext: berField(0xa1, tagged(0x06, applicationContext)),
    result: berField(0xa2, associationResult),
    diagnostic: berField(0xa3, diagnostic),
    respondingApTitle: berField(0xa4, berOctets),
    respondingAeQualifier: berField(0xa5, berOctets),
    respondingApInvocationId: berField(0xa6, rest),
    respondingAeInvocationId: berField(0xa7, berInteger),
    authenticationRequirement: berField(0x88, firstBit),
    mechanism: berField(0x89, mechanismName),
    authenticationValue: berField(0xaa, tagged(0x80, rest)),
    userInformation: berField(0xbe, userInformation),
  }),
);

/**
 * ```asn1
 * AARE-apdu ::= [APPLICATION 1] IMPLICIT SEQUENCE {
 *   protocol-version                [0]  IMPLICIT BIT STRING DEFAULT {version1},
 *   application-context-name        [1]  Application-context-name,
 *   result                          [2]  Association-result,
 *   result-source-diagnostic        [3]  Associate-source-diagnostic,
 *   responding-AP-title             [4]  AP-title OPTIONAL,
 *   responding-AE-qualifier         [5]  AE-qualifier OPTIONAL,
 *   responding-AP-invocation-id     [6]  AP-invocation-identifier OPTIONAL,
 *   responding-AE-invocation-id     [7]  AE-invocation-identifier OPTIONAL,
 *   responder-acse-requirements     [8]  IMPLICIT ACSE-requirements OPTIONAL,
 *   mechanism-name                  [9]  IMPLICIT Mechanism-name OPTIONAL,
 *   responding-authentication-value [10] EXPLICIT Authentication-value OPTIONAL,
 *   implementation-information      [29] IMPLICIT Implementation-data OPTIONAL,
 *   user-information                [30] EXPLICIT Association-information OPTIONAL }
 * ```
 * @spec GB 9.5 (aare [APPLICATION 1])
 */
export const aare: Codec<Aare> = {
  read: (input) => {
    const { applicationContext: context, result, diagnostic: why, ...others } = fields.read(input);
    if (context === undefined || result === undefined || why === undefined)
      return input.fail({ code: 'BAD_VALUE', reason: 'no context, result or diagnostic' });
    return { applicationContext: context, result, diagnostic: why, ...others };
  },
  write: fields.write,
};
