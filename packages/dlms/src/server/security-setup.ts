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

/** What a device knows about its own protection. Keys themselves are never read. */
export interface SecurityContext {
  cipher: Cipher;
  suite: SecuritySuite;
  systemTitle: Uint8Array;
  clientTitle?: Uint8Array;
  /** Version 1: a set of bits; may only grow. */
  policyBits: number;
  /** Wraps the keys that are transferred. */
  kek: Uint8Array;
  /** Takes new keys into use: `LogicalDevice.changeKeys`, and whatever keeps them. */
  onKeys(keys: Partial<TransferableKeys>): void;
  /** Key pairs and certificates, in suites 1 and 2; methods that need them are refused without. */
  credentials?: Credentials;
}

type Setup = typeof securitySetupV1;

const EVERY_BIT = 0xfc;

/** One key that is not intact leaves all of them as they were. */
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

/** Both sides bring a key of their own for this once: one that cannot be agreed on leaves all of them as they were. */
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

/** Octets that a method returns; without any it has not succeeded. */
const returned = (octets: Uint8Array | undefined): MethodOutcome =>
  octets === undefined ? 'objectUndefined' : { result: 'success', data: encode(octetString, octets) };

const credentialMethods = (context: SecurityContext, credentials: Credentials): Behaviour<Setup>['invoke'] => ({
  keyAgreement: (items) => agreeKeys(context, credentials, items),
  generateKeyPair: (use) => credentials.generateKeyPair(use),
  generateCertificateRequest: (use) => returned(credentials.request(use)),
  importCertificate: (octets) => (credentials.importCertificate(octets) ? 'success' : 'otherReason'),
  exportCertificate: (wanted) => returned(credentials.find(wanted)?.octets),
  removeCertificate: (wanted) => (credentials.remove(wanted) ? 'success' : 'objectUndefined'),
});

/** A security setup of version 1. */
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
        // Protection that was asked for once cannot be taken back over the line.
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
