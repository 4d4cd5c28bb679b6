import { encode } from '../codec/codec.ts';
import { asciiOctets } from '../codec/text.ts';
import { securitySetupV1 } from '../cosem/classes/security-setup.ts';
import type { AttributeValue, MethodArgument } from '../cosem/cosem-class.ts';
import { octetString } from '../cosem/data.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import { deriveKeyFromOffers, createEphemeralOffer } from '../security/ephemeral-agreement.ts';
import { KEY_NAMES, unwrapKeys, type TransferableKeys } from '../security/key-transfer.ts';
import { typeOf, type Credentials } from './credentials.ts';
import { serverObject, type Behaviour, type DescribedObject, type MethodOutcome, type ObjectOptions } from './server-object.ts';

/** Security state of a device. Keys cannot be read. */
export interface SecurityContext {
  cipher: Cipher;
  suite: SecuritySuite;
  systemTitle: Uint8Array;
  clientTitle?: Uint8Array;
  /** Version 1: a bit set; bits can be added but not removed. */
  policyBits: number;
  /** Master key, which unwraps transferred keys. */
  kek: Uint8Array;
  /** Activates new keys, in `LogicalDevice.changeKeys` and in persistent storage. */
  onKeys(keys: Partial<TransferableKeys>): void;
  /** Key pairs and certificates, in suites 1 and 2; without them the methods that use them are refused. */
  credentials?: Credentials;
}

type Setup = typeof securitySetupV1;

const EVERY_BIT = 0xfc;

/** All or nothing: one corrupt key leaves all keys unchanged. */
function takeKeys(context: SecurityContext, items: MethodArgument<Setup, 'keyTransfer'>): MethodOutcome {
  const keys = unwrapKeys(context.cipher, context.kek, encode(securitySetupV1.methods.keyTransfer.argument, items));
  if (keys === undefined) return 'otherReason';
  useKeys(context, keys);
  return 'success';
}

function useKeys(context: SecurityContext, keys: Partial<TransferableKeys>): void {
  if (keys.kek !== undefined) context.kek = keys.kek;
  context.onKeys(keys);
}

const { argument: agreement } = securitySetupV1.methods.keyAgreement;

/** Agrees on keys with ephemeral key pairs, all or nothing: one failure leaves all keys unchanged. */
function agreeKeys(context: SecurityContext, credentials: Credentials, items: MethodArgument<Setup, 'keyAgreement'>): MethodOutcome {
  const { cipher, suite, clientTitle, systemTitle } = context;
  const signingKey = credentials.privateKey('digitalSignature');
  const peerSigningKey = clientTitle && credentials.publicKeyOf('digitalSignature', clientTitle);
  if (signingKey === undefined || peerSigningKey === undefined || clientTitle === undefined) return 'readWriteDenied';
  const titles = { client: clientTitle, server: systemTitle };
  const keys: Partial<TransferableKeys> = {};
  const answer: typeof items = [];
  for (const { keyId, keyData: peerKeyData } of items) {
    const own = createEphemeralOffer(cipher, keyId, signingKey);
    const key = deriveKeyFromOffers(cipher, suite, { keyId, own, peerKeyData, peerSigningKey }, titles);
    if (key === undefined) return 'otherReason';
    keys[KEY_NAMES[keyId]] = key;
    answer.push({ keyId, keyData: own.keyData });
  }
  useKeys(context, keys);
  return { result: 'success', data: encode(agreement, answer) };
}

const certificateRows = (credentials: Credentials | undefined): AttributeValue<Setup, 'certificates'> =>
  (credentials?.certificates ?? []).map((one) => ({
    entity: credentials?.entityOf(one) ?? 'other',
    type: typeOf(one),
    serialNumber: one.serialNumber,
    issuer: asciiOctets(one.issuer),
    subject: asciiOctets(one.subject),
    subjectAltName: one.subjectAltName,
  }));

/** The return value of a method; undefined means failure. */
const outcomeOf = (octets: Uint8Array | undefined): MethodOutcome =>
  octets === undefined ? 'objectUndefined' : { result: 'success', data: encode(octetString, octets) };

const credentialMethods = (context: SecurityContext, credentials: Credentials): Behaviour<Setup>['invoke'] => ({
  keyAgreement: (items) => agreeKeys(context, credentials, items),
  generateKeyPair: (use) => credentials.generateKeyPair(use),
  generateCertificateRequest: (use) => outcomeOf(credentials.request(use)),
  importCertificate: (octets) => (credentials.importCertificate(octets) ? 'success' : 'otherReason'),
  exportCertificate: (wanted) => outcomeOf(credentials.find(wanted)?.octets),
  removeCertificate: (wanted) => (credentials.remove(wanted) ? 'success' : 'objectUndefined'),
});

/** A version 1 security setup. */
export function securitySetupObject(context: SecurityContext, options: ObjectOptions): DescribedObject {
  const { credentials } = context;
  return serverObject(
    securitySetupV1,
    {
      read: {
        securityPolicy: () => context.policyBits,
        securitySuite: () => context.suite,
        clientSystemTitle: () => context.clientTitle ?? new Uint8Array(0),
        serverSystemTitle: () => context.systemTitle,
        certificates: () => certificateRows(credentials),
      },
      invoke: {
        // Policy bits cannot be removed remotely.
        securityActivate: (bits) => {
          if ((bits & ~EVERY_BIT) !== 0 || (bits & context.policyBits) !== context.policyBits) return 'otherReason';
          context.policyBits = bits;
          return 'success';
        },
        keyTransfer: (items) => takeKeys(context, items),
        ...(credentials === undefined ? {} : credentialMethods(context, credentials)),
      },
    },
    options,
  );
}
