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

/** A security setup object and the association to reach it. */
export interface SetupOf {
  association: { invoke(ref: InvokeItem['ref'], argument?: Uint8Array): Exchange<InvokeResult> };
  setup: Obis;
}

/** The decoded return value of a method, or its failure. */
export type Returned<T> = { ok: true; value: T } | { ok: false; result: ActionResult };
type KeyPairUse = MethodArgument<typeof securitySetupV1, 'generateKeyPair'>;

const { methods } = securitySetupV1;

/** Invokes one method of a security setup. */
export function invokeSetup<A>({ association, setup: instance }: SetupOf, { id: methodId, argument }: Method<A, any>, value: A) {
  // any: the result type is irrelevant here
  return association.invoke({ classId: securitySetupV1.id, instance, methodId }, encode(argument, value));
}

/** Decodes the return value; a success without one counts as `otherReason`. Throws `DecodeError` on an unexpected type. */
export function returnedOf<T>(result: InvokeResult, codec: Codec<T>): Returned<T> {
  if (!result.ok) return result;
  return result.data === undefined ? { ok: false, result: 'otherReason' } : { ok: true, value: decode(codec, result.data) };
}

/** Generates a key pair in the meter; the previous one stays in use until the new one has a certificate. */
export const generateKeyPair = (of: SetupOf, use: KeyPairUse): Exchange<InvokeResult> => invokeSetup(of, methods.generateKeyPair, use);

/** Has the meter create a certification request. Throws `DecodeError` unless it is signed with the private key it is for. */
export function* requestCertificate(of: SetupOf, cipher: Cipher, use: KeyPairUse): Exchange<Returned<CertificateRequest>> {
  const returned = returnedOf(yield* invokeSetup(of, methods.generateCertificateRequest, use), octetString);
  return returned.ok ? { ok: true, value: readCertificateRequest(cipher, returned.value) } : returned;
}

/** Imports a certificate of the meter, of a client or of an authority. */
export const importCertificate = (of: SetupOf, certificate: Uint8Array): Exchange<InvokeResult> =>
  invokeSetup(of, methods.importCertificate, certificate);

/** Exports a certificate that the meter holds. */
export function* exportCertificate(of: SetupOf, which: CertificateIdentification): Exchange<Returned<Uint8Array>> {
  return returnedOf(yield* invokeSetup(of, methods.exportCertificate, which), octetString);
}

export const removeCertificate = (of: SetupOf, which: CertificateIdentification): Exchange<InvokeResult> =>
  invokeSetup(of, methods.removeCertificate, which);
