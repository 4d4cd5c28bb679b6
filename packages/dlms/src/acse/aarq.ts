import { rest, type Codec } from '../codec/codec.ts';
import { berField, berFields, berInteger, berOctets, firstBit, tagged, type OtherField } from './ber.ts';
import { applicationContext, mechanismName, type ApplicationContext, type MechanismName } from './names.ts';
import { userInformation } from './user-information.ts';

/** Association request (AARQ). */
export interface Aarq {
  protocolVersion?: Uint8Array;
  applicationContext: ApplicationContext;
  calledApTitle?: Uint8Array;
  calledAeQualifier?: Uint8Array;
  calledApInvocationId?: number;
  calledAeInvocationId?: number;
  /** System title of the client; required when ciphered and for GMAC, SHA-256 and ECDSA. */
  callingApTitle?: Uint8Array;
  /** Certificate of the client, in suites 1 and 2. */
  callingAeQualifier?: Uint8Array;
  callingApInvocationId?: number;
  /** User id within the client. */
  callingAeInvocationId?: number;
  /** `true` for every mechanism but lowest. */
  authenticationRequirement?: boolean;
  mechanism?: MechanismName;
  /** Password (LLS), or challenge of the client (HLS). */
  authenticationValue?: Uint8Array;
  /** An encoded InitiateRequest, plain or ciphered. */
  userInformation?: Uint8Array;
  others?: OtherField[];
}

/** Authentication-value as charstring, the only form in use. */
const charString = tagged(0x80, rest);

const fields = tagged(
  0x60,
  berFields({
    protocolVersion: berField(0x80, rest),
    applicationContext: berField(0xa1, tagged(0x06, applicationContext)),
    calledApTitle: berField(0xa2, berOctets),
    calledAeQualifier: berField(0xa3, berOctets),
    calledApInvocationId: berField(0xa4, berInteger),
    calledAeInvocationId: berField(0xa5, berInteger),
    callingApTitle: berField(0xa6, berOctets),
    callingAeQualifier: berField(0xa7, berOctets),
    callingApInvocationId: berField(0xa8, berInteger),
    callingAeInvocationId: berField(0xa9, berInteger),
    authenticationRequirement: berField(0x8a, firstBit),
    mechanism: berField(0x8b, mechanismName),
    authenticationValue: berField(0xac, charString),
    userInformation: berField(0xbe, userInformation),
  }),
);

/**
 * ```asn1
 * AARQ-apdu ::= [APPLICATION 0] IMPLICIT SEQUENCE {
 *   protocol-version              [0]  IMPLICIT BIT STRING DEFAULT {version1},
 *   application-context-name      [1]  Application-context-name,
 *   called-AP-title               [2]  AP-title OPTIONAL,
 *   called-AE-qualifier           [3]  AE-qualifier OPTIONAL,
 *   called-AP-invocation-id       [4]  AP-invocation-identifier OPTIONAL,
 *   called-AE-invocation-id       [5]  AE-invocation-identifier OPTIONAL,
 *   calling-AP-title              [6]  AP-title OPTIONAL,
 *   calling-AE-qualifier          [7]  AE-qualifier OPTIONAL,
 *   calling-AP-invocation-id      [8]  AP-invocation-identifier OPTIONAL,
 *   calling-AE-invocation-id      [9]  AE-invocation-identifier OPTIONAL,
 *   sender-acse-requirements      [10] IMPLICIT ACSE-requirements OPTIONAL,
 *   mechanism-name                [11] IMPLICIT Mechanism-name OPTIONAL,
 *   calling-authentication-value  [12] EXPLICIT Authentication-value OPTIONAL,
 *   implementation-information    [29] IMPLICIT Implementation-data OPTIONAL,
 *   user-information              [30] EXPLICIT Association-information OPTIONAL }
 * ```
 * @spec GB 9.5 (aarq [APPLICATION 0])
 */
export const aarq: Codec<Aarq> = {
  read: (input) => {
    const { applicationContext: context, ...others } = fields.read(input);
    if (context === undefined) return input.fail({ code: 'BAD_VALUE', reason: 'no application-context-name' });
    return { applicationContext: context, ...others };
  },
  write: fields.write,
};
