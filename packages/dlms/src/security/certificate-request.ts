import { required, type Cipher } from './cipher.ts';
import { contextTag, DER, derOf, derReader, enterDer, wholeDer } from './der.ts';
import { commonNameOf, nameDer, publicKeyDer, readPublicKey, readSignature, signedDer } from './public-key-der.ts';

/** A PKCS #10 certification request: the subject and the public key to certify. RFC 2986. */
export interface CertificateRequest {
  subject: string;
  publicKey: Uint8Array;
}

const VERSION_1 = Uint8Array.of(0);

/** Encodes a request for the public key of `privateKey`, signed with `privateKey` as proof of possession. */
export function requestCertificate(cipher: Cipher, privateKey: Uint8Array, subject: string): Uint8Array {
  const publicKey = required(cipher.publicKeyOf, 'ECDH')(privateKey);
  const version = derOf(DER.integer, VERSION_1);
  // There are no attributes, but RFC 2986 requires their empty field.
  const content = derOf(DER.sequence, version, nameDer(subject), publicKeyDer(publicKey), derOf(contextTag(0)));
  return signedDer(cipher, privateKey, content);
}

/** Decodes a request. Throws `DecodeError`; `NOT_AUTHENTIC` means that the requester does not hold the private key. */
export function readCertificateRequest(cipher: Cipher, octets: Uint8Array): CertificateRequest {
  const input = derReader(octets);
  const whole = enterDer(input, DER.sequence);
  const signed = wholeDer(whole);
  const signature = readSignature(whole);
  input.done();
  const content = enterDer(derReader(signed), DER.sequence);
  wholeDer(content);
  const subject = commonNameOf(wholeDer(content));
  const publicKey = readPublicKey(content);
  if (!required(cipher.verify, 'ECDSA')(publicKey, signed, signature)) input.fail({ code: 'NOT_AUTHENTIC' });
  return { subject, publicKey };
}
