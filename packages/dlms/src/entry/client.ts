/**
 * The client side of an association, without I/O.
 * @module dlms/client
 */
export { AssociationError, isRefusedRequest, type AssociationErrorCode, type SecurityFailure } from '../association/association-error.ts';
export { ClientAssociation, type AttributeRef, type MethodRef } from '../association/client.ts';
export type { AccessItem, AccessResult } from '../association/client-access.ts';
export {
  exportCertificate,
  generateKeyPair,
  importCertificate,
  removeCertificate,
  requestCertificate,
  type Returned,
  type SetupOf,
} from '../association/client-credentials.ts';
export type { KeyAgreement, KeyChange } from '../association/client-keys.ts';
export type { ClientOptions, Negotiated } from '../association/client-options.ts';
export type { UnconfirmedRequest } from '../association/client-unconfirmed.ts';
export type { ReadResult } from '../association/client-services.ts';
export type { InvokeItem, InvokeResult, SetItem, SetResult } from '../association/client-writes.ts';
export { runExchange, WAIT, type Exchange } from '../association/exchange.ts';
export type { GeneralKeys, SigningKeys } from '../association/secure-channel.ts';
export type { Mechanism } from '../security/hls.ts';
export { protect, readCipheredApdu, unprotect, type SecurityKeys, type SecurityPolicy } from '../security/protection.ts';
export type { Conformance } from '../xdlms/conformance.ts';
