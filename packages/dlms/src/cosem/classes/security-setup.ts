import type { Codec, ValueOf } from '../../codec/codec.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, enumerated, enumNumber, logicalName, octetString, structure } from '../data.ts';

const KEY_IDS = { globalUnicastEncryption: 0, globalBroadcastEncryption: 1, authentication: 2, master: 3 } as const;

/** Keys wrapped by RFC 3394 with the master key. */
const wrappedKeys = arrayOf(structure({ keyId: enumerated(KEY_IDS), keyWrapped: octetString }));
const policy = enumerated({ nothing: 0, authenticated: 1, encrypted: 2, authenticatedAndEncrypted: 3 });

const common = {
  logicalName: attribute(1, logicalName),
  securitySuite: attribute(3, enumNumber),
  clientSystemTitle: attribute(4, octetString),
  serverSystemTitle: attribute(5, octetString),
};

/** Security setup: policy, suite, system titles and keys of one security context. @spec BB 4 (class_id 64, version 0) */
export const securitySetup = cosemClass({
  id: 64,
  version: 0,
  name: 'Security setup',
  methodsAt: 0x28,
  attributes: { ...common, securityPolicy: attribute(2, policy) },
  methods: {
    securityActivate: method(1, policy),
    globalKeyTransfer: method(2, wrappedKeys),
  },
});

/** Per key, the ephemeral public key of the sender and its signature; see `ephemeral-agreement.ts`. */
const agreedKeys = arrayOf(structure({ keyId: enumerated(KEY_IDS), keyData: octetString }));
export type GlobalKeyId = keyof typeof KEY_IDS;

const certificateEntity = enumerated({ server: 0, client: 1, certificationAuthority: 2, other: 3 });
const certificateType = enumerated({ digitalSignature: 0, keyAgreement: 1, tls: 2, other: 3 });
const keyPairType = enumerated({ digitalSignature: 0, keyAgreement: 1, tls: 2 });

/** Identifies a certificate by entity and use, or by serial number and issuer. */
export type CertificateIdentification =
  | { by: 'entity'; entity: CertificateEntity; type: CertificateType; systemTitle: Uint8Array }
  | { by: 'serial'; serialNumber: Uint8Array; issuer: Uint8Array };
export type CertificateEntity = ValueOf<typeof certificateEntity>;
export type CertificateType = ValueOf<typeof certificateType>;

const byEntity = structure({
  by: enumerated({ entity: 0 }),
  options: structure({ entity: certificateEntity, type: certificateType, systemTitle: octetString }),
});
const bySerial = structure({ by: enumerated({ serial: 1 }), options: structure({ serialNumber: octetString, issuer: octetString }) });
const IDENTIFICATION_AT = 3; // after the structure tag, its count and the tag of the enumeration

const certificateIdentification: Codec<CertificateIdentification> = {
  read: (input) => {
    const isSerial = input.octets[input.offset + IDENTIFICATION_AT] === 1;
    const { by, options } = isSerial ? bySerial.read(input) : byEntity.read(input);
    return { by, ...options } as CertificateIdentification; // as: both came out of the same structure
  },
  write: (out, value) => {
    if (value.by === 'serial') bySerial.write(out, { by: value.by, options: value });
    else byEntity.write(out, { by: value.by, options: value });
  },
};

/**
 * The policy is a bit set here: 04/08/10 authenticated, encrypted, signed request; 20/40/80 the same of the response.
 * @spec BB 4 (class_id 64, version 1)
 */
export const securitySetupV1 = cosemClass({
  id: 64,
  version: 1,
  name: 'Security setup',
  methodsAt: 0x30,
  attributes: {
    ...common,
    securityPolicy: attribute(2, enumNumber),
    certificates: attribute(
      6,
      arrayOf(
        structure({
          entity: certificateEntity,
          type: certificateType,
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
    generateKeyPair: method(4, keyPairType),
    generateCertificateRequest: method(5, keyPairType, octetString),
    importCertificate: method(6, octetString),
    exportCertificate: method(7, certificateIdentification, octetString),
    removeCertificate: method(8, certificateIdentification),
  },
});
