import { encode, enumeration, mapped, type Codec } from '../codec/codec.ts';
import { berInteger, objectIdentifier, tagged } from './ber.ts';

const PREFIX = '2.16.756.5.8'; // joint-iso-ccitt country CH association DLMS

/** Maps known object identifiers to names; unknown ones stay dotted. Known identifiers are encoded once and compared as octets. */
const namedIdentifier = <const T extends Record<string, string>>(names: T): Codec<(keyof T & string) | (string & {})> => {
  const byIdentifier = new Map(Object.entries(names).map(([name, identifier]) => [identifier, name]));
  const encoded = new Map(Object.entries(names).map(([name, identifier]) => [name, encode(objectIdentifier, identifier)]));
  return {
    read: (input) => {
      for (const [name, octets] of encoded) {
        if (!input.isLeft(octets)) continue;
        input.skip(octets.length);
        return name;
      }
      // Arcs with leading zero octets are not canonical but mean the same.
      const identifier = objectIdentifier.read(input);
      return byIdentifier.get(identifier) ?? identifier;
    },
    write: (out, name) => {
      const known = encoded.get(name);
      if (known === undefined) objectIdentifier.write(out, name);
      else out.bytes(known);
    },
  };
};

/**
 * Application context: referencing (LN or SN), with or without ciphering. Unknown identifiers stay dotted.
 * @spec GB 9.4 (COSEM application context names)
 */
export const applicationContext = namedIdentifier({
  ln: `${PREFIX}.1.1`,
  sn: `${PREFIX}.1.2`,
  lnCiphered: `${PREFIX}.1.3`,
  snCiphered: `${PREFIX}.1.4`,
});
export type ApplicationContext = 'ln' | 'sn' | 'lnCiphered' | 'snCiphered' | (string & {});

/** Authentication mechanism. Unknown identifiers stay dotted. @spec GB 9.4 (COSEM authentication mechanism names) */
export const mechanismName = namedIdentifier({
  lowest: `${PREFIX}.2.0`,
  low: `${PREFIX}.2.1`,
  high: `${PREFIX}.2.2`,
  highMd5: `${PREFIX}.2.3`,
  highSha1: `${PREFIX}.2.4`,
  highGmac: `${PREFIX}.2.5`,
  highSha256: `${PREFIX}.2.6`,
  highEcdsa: `${PREFIX}.2.7`,
});
export type MechanismName = 'lowest' | 'low' | 'high' | 'highMd5' | 'highSha1' | 'highGmac' | 'highSha256' | 'highEcdsa' | (string & {});

const USER_REASONS = [
  'null',
  'noReasonGiven',
  'applicationContextNameNotSupported',
  'callingApTitleNotRecognized',
  'callingApInvocationIdentifierNotRecognized',
  'callingAeQualifierNotRecognized',
  'callingAeInvocationIdentifierNotRecognized',
  'calledApTitleNotRecognized',
  'calledApInvocationIdentifierNotRecognized',
  'calledAeQualifierNotRecognized',
  'calledAeInvocationIdentifierNotRecognized',
  'authenticationMechanismNameNotRecognised',
  'authenticationMechanismNameRequired',
  'authenticationFailure',
  'authenticationRequired',
] as const;
const PROVIDER_REASONS = ['null', 'noReasonGiven', 'noCommonAcseVersion'] as const;

/** Result source diagnostic of an AARE; an unknown reason stays a number. */
export type Diagnostic =
  | { source: 'user'; reason: (typeof USER_REASONS)[number] | number }
  | { source: 'provider'; reason: (typeof PROVIDER_REASONS)[number] | number };

const reason = <T extends string>(names: readonly T[]): Codec<T | number> =>
  mapped<number, T | number>(
    berInteger,
    (number) => names[number] ?? number,
    (value) => (typeof value === 'number' ? value : names.indexOf(value)),
  );
const userReason = tagged(0xa1, reason(USER_REASONS));
const providerReason = tagged(0xa2, reason(PROVIDER_REASONS));

/**
 * ```asn1
 * Associate-source-diagnostic ::= CHOICE {
 *   acse-service-user     [1] INTEGER,
 *   acse-service-provider [2] INTEGER }
 * ```
 * @spec GB 9.5
 */
export const diagnostic: Codec<Diagnostic> = {
  read: (input) =>
    input.peek() === 0xa2 ? { source: 'provider', reason: providerReason.read(input) } : { source: 'user', reason: userReason.read(input) },
  write: (out, value) => (value.source === 'provider' ? providerReason.write(out, value.reason) : userReason.write(out, value.reason)),
};

/** @spec GB 9.5 (Association-result) */
export const associationResult = tagged(0x02, enumeration({ accepted: 0, rejectedPermanent: 1, rejectedTransient: 2 }));
