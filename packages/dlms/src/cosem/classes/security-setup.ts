import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, enumerated, enumNumber, logicalName, octetString, structure } from '../data.ts';

const KEY_IDS = { globalUnicastEncryption: 0, globalBroadcastEncryption: 1, authentication: 2, master: 3 } as const;

/** Keys under wrap: RFC 3394 with the master key. */
const wrappedKeys = arrayOf(structure({ keyId: enumerated(KEY_IDS), keyWrapped: octetString }));
const policy = enumerated({ nothing: 0, authenticated: 1, encrypted: 2, authenticatedAndEncrypted: 3 });

const common = {
  logicalName: attribute(1, logicalName),
  securitySuite: attribute(3, enumNumber),
  clientSystemTitle: attribute(4, octetString),
  serverSystemTitle: attribute(5, octetString),
};

/**
 * Security setup: policy, suite, titles and keys of one security context.
 * @spec BB 4 (class_id 64, version 0)
 */
export const securitySetup = cosemClass({
  id: 64,
  version: 0,
  name: 'Security setup',
  attributes: { ...common, securityPolicy: attribute(2, policy) },
  methods: {
    securityActivate: method(1, policy),
    globalKeyTransfer: method(2, wrappedKeys),
  },
});

const agreedKeys = arrayOf(structure({ keyId: enumerated(KEY_IDS), keyData: octetString }));

/**
 * The policy is a set of bits here: 04/08/10 authenticated, encrypted, signed request; 20/40/80 the same of the response.
 * @spec BB 4 (class_id 64, version 1)
 */
export const securitySetupV1 = cosemClass({
  id: 64,
  version: 1,
  name: 'Security setup',
  attributes: {
    ...common,
    securityPolicy: attribute(2, enumNumber),
    certificates: attribute(
      6,
      arrayOf(
        structure({
          entity: enumerated({ server: 0, client: 1, certificationAuthority: 2, other: 3 }),
          type: enumerated({ digitalSignature: 0, keyAgreement: 1, tls: 2, other: 3 }),
          serialNumber: octetString,
          issuer: octetString,
          subject: octetString,
          subjectAltName: octetString,
        }),
      ),
    ),
  },
  methods: {
    securityActivate: method(1, enumNumber),
    keyTransfer: method(2, wrappedKeys),
    keyAgreement: method(3, agreedKeys, agreedKeys),
    generateKeyPair: method(4, enumNumber),
    generateCertificateRequest: method(5, enumNumber, octetString),
    importCertificate: method(6, octetString),
    exportCertificate: method(7, anyData, octetString),
    removeCertificate: method(8, anyData),
  },
});
