import { decode, encode, type Codec } from '../codec/codec.ts';
import { securitySetupV1, type CertificateIdentification } from '../cosem/classes/security-setup.ts';
import type { Method, MethodArgument } from '../cosem/cosem-class.ts';
import { octetString } from '../cosem/data.ts';
import type { Obis } from '../cosem/obis.ts';
import { readCertificateRequest, type CertificateRequest } from '../security/certificate-request.ts';
import type { Cipher } from '../security/cipher.ts';
import type { ActionResult } from '../xdlms/data-access-result.ts';
import type { InvokeItem, InvokeResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';

/** Where a meter keeps its key pairs and certificates: an association with it, and its security setup. */
export interface SetupOf {
  association: { invoke(ref: InvokeItem['ref'], argument?: Uint8Array): Exchange<InvokeResult> };
  setup: Obis;
}

/** What a method returned, or why it did not. */
export type Returned<T> = { ok: true; value: T } | { ok: false; result: ActionResult };
type KeyPairUse = MethodArgument<typeof securitySetupV1, 'generateKeyPair'>;

const { methods } = securitySetupV1;

/** Invokes one method of a security setup. */
export function invokeSetup<A>({ association, setup: instance }: SetupOf, { id: methodId, argument }: Method<A, any>, value: A) {
  // any: what it returns does not matter here
  return association.invoke({ classId: securitySetupV1.id, instance, methodId }, encode(argument, value));
}

/** A success without the octets it promises is none. Throws `DecodeError` when they are something else. */
export function returnedOf<T>(result: InvokeResult, codec: Codec<T>): Returned<T> {
  if (!result.ok) return result;
  return result.data === undefined ? { ok: false, result: 'otherReason' } : { ok: true, value: decode(codec, result.data) };
}

/** Has the meter make a key pair; the one before stays in use until there is a certificate for this one. */
export const generateKeyPair = (of: SetupOf, use: KeyPairUse): Exchange<InvokeResult> => invokeSetup(of, methods.generateKeyPair, use);

/** What the meter asks an authority to certify. Throws `DecodeError` unless it proves that it has the private key. */
export function* requestCertificate(of: SetupOf, cipher: Cipher, use: KeyPairUse): Exchange<Returned<CertificateRequest>> {
  const returned = returnedOf(yield* invokeSetup(of, methods.generateCertificateRequest, use), octetString);
  return returned.ok ? { ok: true, value: readCertificateRequest(cipher, returned.value) } : returned;
}

/** Gives the meter a certificate: one of its own, of a client, or of an authority. */
export const importCertificate = (of: SetupOf, certificate: Uint8Array): Exchange<InvokeResult> =>
  invokeSetup(of, methods.importCertificate, certificate);

/** A certificate that the meter keeps. */
export function* exportCertificate(of: SetupOf, which: CertificateIdentification): Exchange<Returned<Uint8Array>> {
  return returnedOf(yield* invokeSetup(of, methods.exportCertificate, which), octetString);
}

export const removeCertificate = (of: SetupOf, which: CertificateIdentification): Exchange<InvokeResult> =>
  invokeSetup(of, methods.removeCertificate, which);
