import { rlre } from '../acse/rlre.ts';
import { rlrq } from '../acse/rlrq.ts';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { clock } from '../cosem/classes/clock.ts';
import { imageTransfer } from '../cosem/classes/image-transfer.ts';
import { equalInConstantTime } from '../security/cipher.ts';
import { isHls, verifyHlsAnswer, computeHlsAnswer } from '../security/hls.ts';
import { isProtectedTag, protectionOverhead, type SecurityKeys } from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { exceptionResponse, type ExceptionResponse } from '../xdlms/exception-response.ts';
import { AssociationError, securityFailureOf } from './association-error.ts';
import { isBlock } from './block-stream.ts';
import type { LogicalDeviceOptions } from './server-options.ts';
import { NOT_ALLOWED, NOT_ASSOCIATED, NOT_DECIPHERED, NOT_SUPPORTED, Refusal, TOO_LONG } from './server-refusal.ts';
import { acceptAssociation, initiateResponseOf, preEstablishedAssociation, type ServerAssociation } from './server-open.ts';
import { serveAccess } from './server-access.ts';
import type { ServerBlocks } from './server-blocks.ts';
import { serveGet } from './server-get.ts';
import { proofByLogicalName, proofByShortName } from './server-hls.ts';
import { classesWritten, serveRead, serveUnconfirmedWrite, serveWrite } from './server-short-names.ts';
import { serveAction, serveSet } from './server-writes.ts';
import { isWithoutResponse } from './service-class.ts';

const BROADCAST_CLASSES: ReadonlySet<number> = new Set([clock.id, imageTransfer.id]);
const NORMAL = 1;
const CLASS_OFFSET = 3;

/**
 * The associations of a logical device, one per client SAP, without I/O. It holds no other state, which allows thousands in one process.
 */
export class LogicalDevice {
  readonly #device: LogicalDeviceOptions;
  readonly #sessions = new Map<number, ServerAssociation>();
  #newKeys: Partial<SecurityKeys> | undefined;

  constructor(options: LogicalDeviceOptions) {
    // Copied, because a key transfer changes the keys.
    this.#device = { ...options };
  }

  /** Whether a client has an open and authenticated association. */
  isAssociated(clientSap: number): boolean {
    const session = this.#sessions.get(clientSap);
    return session !== undefined && session.pending === undefined;
  }

  /** The response to an APDU; undefined when there is none. No input makes it throw. */
  receive(clientSap: number, apdu: Uint8Array): Uint8Array | undefined {
    return this.receiveAll(clientSap, apdu)[0];
  }

  /** The same for clients that accept several blocks at once: all APDUs to send, in order. */
  receiveAll(clientSap: number, apdu: Uint8Array): Uint8Array[] {
    // The PDU size also bounds the work that one request may cause, such as a list of thousands of buffers. Some clients do not count their
    // protection.
    if (apdu.length > this.#device.maxPduSize + protectionOverhead('general')) return [encode(exceptionResponse, TOO_LONG)];
    const blocks = this.#sessions.get(clientSap)?.blocks;
    if (blocks === undefined || !isBlock(apdu)) {
      blocks?.reset();
      return this.#inBlocks(clientSap, this.#serveTraced(clientSap, apdu), 1);
    }
    try {
      const step = blocks.take(apdu);
      if ('blocks' in step) return step.blocks;
      return this.#inBlocks(clientSap, this.#serveTraced(clientSap, step.request), step.window);
    } catch (error) {
      return [encode(exceptionResponse, exceptionOf(error, undefined))];
    }
  }

  #inBlocks(clientSap: number, answers: Uint8Array[], window: number): Uint8Array[] {
    const blocks = this.#sessions.get(clientSap)?.blocks;
    const [answer] = answers;
    const isOne = answer !== undefined && answers.length === 1;
    return isOne && blocks?.concerns(answer) === true ? blocks.begin(answer, window) : answers;
  }

  #serveTraced(clientSap: number, apdu: Uint8Array): Uint8Array[] {
    const trace: Trace = {};
    const answers = this.#answer(clientSap, apdu, trace);
    this.#takeNewKeys();
    this.#device.onFrame?.('up', apdu, trace.request);
    for (const answer of answers) this.#device.onFrame?.('down', answer, trace.response);
    return answers;
  }

  /** Call this when the connection is lost: it drops the association. */
  reset(clientSap: number): void {
    this.#sessions.delete(clientSap);
  }

  /** Replaces keys after the current response, which is still protected with the old ones. Omitted keys stay. */
  changeKeys(keys: Partial<SecurityKeys>): void {
    this.#newKeys = { ...this.#newKeys, ...keys };
  }

  #takeNewKeys(): void {
    const { keys, counters } = this.#device;
    if (this.#newKeys === undefined || keys === undefined) return;
    const newKeys = { ...keys, ...this.#newKeys };
    this.#newKeys = undefined;
    this.#device.keys = newKeys;
    // Counters may restart only with a new encryption key.
    const restart = !equalInConstantTime(keys.ek, newKeys.ek) && counters.restart !== undefined;
    if (restart) counters.restart?.();
    for (const { channel } of this.#sessions.values()) channel?.rekey(newKeys, { restart });
  }

  #answer(clientSap: number, apdu: Uint8Array, trace: Trace): Uint8Array[] {
    try {
      const tag = apdu[0] ?? 0;
      if (tag === APDU_TAGS.aarq) return [this.#open(clientSap, apdu)];
      const session = this.#sessions.get(clientSap) ?? this.#preEstablish(clientSap);
      if (session === undefined) throw NOT_ASSOCIATED;
      if (tag === APDU_TAGS.rlrq) return [this.#release(session, apdu)];
      return this.#serve(session, apdu, trace);
    } catch (error) {
      const failure = securityFailureOf(error);
      if (failure !== undefined) this.#device.onSecurityFailure?.(clientSap, failure);
      if (isWithoutResponse(trace.request ?? apdu)) return [];
      return [encode(exceptionResponse, exceptionOf(error, this.#sessions.get(clientSap)))];
    }
  }

  #preEstablish(clientSap: number): ServerAssociation | undefined {
    const session = preEstablishedAssociation(this.#device, clientSap);
    if (session !== undefined) this.#sessions.set(clientSap, session);
    return session;
  }

  #open(clientSap: number, apdu: Uint8Array): Uint8Array {
    this.#sessions.delete(clientSap);
    const { response, session } = acceptAssociation(this.#device, clientSap, apdu);
    if (session !== undefined) this.#sessions.set(clientSap, session);
    return response;
  }

  #release(session: ServerAssociation, apdu: Uint8Array): Uint8Array {
    if (session.rule.preEstablished !== undefined) throw NOT_ALLOWED;
    const { userInformation } = decode(rlrq, apdu);
    // An unauthenticated RLRQ must not end a ciphered association.
    const channel = session.rule.ciphered ? session.channel : undefined;
    channel?.unprotect(userInformation ?? new Uint8Array(0));
    this.#sessions.delete(session.clientSap);
    const proof = channel?.protectInitiate(initiateResponseOf(session));
    return encode(rlre, { reason: 0, ...(proof === undefined ? {} : { userInformation: proof }) });
  }

  #serve(session: ServerAssociation, apdu: Uint8Array, trace: Trace): Uint8Array[] {
    const protector = session.rule.ciphered ? session.channel : undefined;
    if (protector === undefined && isProtectedTag(apdu[0] ?? 0)) throw NOT_DECIPHERED;
    if (protector !== undefined && !isProtectedTag(apdu[0] ?? 0)) throw NOT_ALLOWED;
    const request = protector?.unprotect(apdu) ?? apdu;
    // The response uses the form and the key of the request.
    protector?.useGeneralCiphering(protector.receivedGeneralCiphering);
    protector?.useDedicatedKey(protector.receivedKeyKind === 'dedicated');
    protector?.useGeneralSigning(protector.receivedSigned);
    protector?.useCompression(protector.receivedCompressed);
    if (protector !== undefined && session.blocks === undefined) session.room = session.clientPduSize - protector.overhead;
    trace.request = protector === undefined ? undefined : request;
    if (session.rule.signed === true && protector?.receivedSigned !== true) throw NOT_ALLOWED;
    if (protector?.receivedKeyKind === 'broadcast' && !isBroadcastable(session, request)) throw NOT_ALLOWED;
    if (protector === undefined) {
      const response = this.#respond(session, request);
      return isWithoutResponse(request) ? [] : [response];
    }
    if (session.protectedBlocks !== undefined && isBlock(request))
      return this.#serveBlock(session, session.protectedBlocks, request).map((block) => protector.protect(block));
    session.protectedBlocks?.reset();
    trace.response = this.#respond(session, request);
    return isWithoutResponse(request) ? [] : [protector.protect(trace.response)];
  }

  /** Serves a block that is protected separately; so is each response block. */
  #serveBlock(session: ServerAssociation, blocks: ServerBlocks, block: Uint8Array): Uint8Array[] {
    const step = blocks.take(block);
    return 'blocks' in step ? step.blocks : blocks.begin(this.#respond(session, step.request), step.window);
  }

  #respond(session: ServerAssociation, request: Uint8Array): Uint8Array {
    return session.pending === undefined ? dispatchRequest(session, request) : this.#authenticate(session, session.pending, request);
  }

  /** Serves HLS pass 3 and returns pass 4; refuses any other request before that. */
  #authenticate(
    session: ServerAssociation,
    { ctos, stoc, clientTitle }: NonNullable<ServerAssociation['pending']>,
    request: Uint8Array,
  ): Uint8Array {
    const { proof, answer } = session.rule.shortNames === true ? proofByShortName(request) : proofByLogicalName(request);
    const { cipher, keys, suite, systemTitle, counters, credentials } = this.#device;
    const { mechanism, password: secret } = session.rule;
    const publicKey = session.rule.publicKey ?? credentials?.publicKeyOf('digitalSignature', clientTitle);
    const privateKey = this.#device.privateKey ?? credentials?.privateKey('digitalSignature');
    // Certificates may change at run time: a client without a valid one fails authentication.
    const isKnown = mechanism !== 'hlsEcdsa' || (publicKey !== undefined && privateKey !== undefined);
    if (!isHls(mechanism)) throw new Error(`Mechanism ${mechanism} has no HLS passes`);
    const shared = { cipher, mechanism, keys, suite, secret };
    const theirs = { ...shared, ownTitle: clientTitle, peerTitle: systemTitle, challenge: stoc, otherChallenge: ctos };
    if (!isKnown || !verifyHlsAnswer(theirs, proof, publicKey) || equalInConstantTime(ctos, stoc)) {
      this.#device.onSecurityFailure?.(session.clientSap, 'AUTH_FAILED');
      this.#sessions.delete(session.clientSap);
      return answer(undefined);
    }
    session.pending = undefined;
    const ours = { ...shared, ownTitle: systemTitle, peerTitle: clientTitle, challenge: ctos, otherChallenge: stoc };
    return answer(computeHlsAnswer(ours, { nextCounter: () => counters.next(), privateKey }));
  }
}

/** Services allowed under the broadcast key, which every meter holds: clock and image transfer. */
function isBroadcastable(session: ServerAssociation, request: Uint8Array): boolean {
  if (session.rule.shortNames === true) return isBroadcastableByShortName(session, request);
  const classId = ((request[CLASS_OFFSET] ?? 0) << 8) | (request[CLASS_OFFSET + 1] ?? 0);
  const writes = request[0] === APDU_TAGS.setRequest || request[0] === APDU_TAGS.actionRequest;
  // Only the normal kinds have the class id at this offset.
  return writes && request[1] === NORMAL && BROADCAST_CLASSES.has(classId);
}

function isBroadcastableByShortName(session: ServerAssociation, request: Uint8Array): boolean {
  const writes = request[0] === APDU_TAGS.writeRequest || request[0] === APDU_TAGS.unconfirmedWriteRequest;
  return writes && classesWritten(session, request).every((classId) => classId !== undefined && BROADCAST_CLASSES.has(classId));
}

interface Trace {
  request?: Uint8Array | undefined;
  response?: Uint8Array | undefined;
}

function dispatchByShortName(session: ServerAssociation, request: Uint8Array): Uint8Array {
  if (request[0] === APDU_TAGS.readRequest) return serveRead(session, request);
  if (request[0] === APDU_TAGS.writeRequest) return serveWrite(session, request);
  if (request[0] === APDU_TAGS.unconfirmedWriteRequest) return serveUnconfirmedWrite(session, request);
  throw NOT_SUPPORTED;
}

function dispatchRequest(session: ServerAssociation, request: Uint8Array): Uint8Array {
  if (session.rule.shortNames === true) return dispatchByShortName(session, request);
  switch (request[0]) {
    case APDU_TAGS.getRequest:
      return serveGet(session, request);
    case APDU_TAGS.setRequest:
      return serveSet(session, request);
    case APDU_TAGS.actionRequest:
      return serveAction(session, request);
    case APDU_TAGS.accessRequest:
      if (!session.conformance.includes('access')) throw NOT_SUPPORTED;
      return serveAccess(session, request);
    default:
      throw NOT_SUPPORTED;
  }
}

/** The EXCEPTION-RESPONSE for a failed request. Rethrows errors that the request did not cause. */
function exceptionOf(error: unknown, session: ServerAssociation | undefined): ExceptionResponse {
  if (error instanceof Refusal) return error.exception;
  if (error instanceof DecodeError) return { stateError: 'serviceUnknown', serviceError: 'otherReason' };
  if (!(error instanceof AssociationError)) throw error;
  if (error.code !== 'COUNTER_REPLAY') return NOT_DECIPHERED.exception;
  return { stateError: 'serviceUnknown', serviceError: 'invocationCounterError', ...lowestCounter(error, session) };
}

function lowestCounter({ cause }: AssociationError, session: ServerAssociation | undefined): { invocationCounter?: number } {
  const fault = cause instanceof DecodeError ? cause.fault : undefined;
  const last = fault?.code === 'COUNTER_NOT_RISING' ? fault.last : session?.channel?.peerCounter;
  return last === undefined ? {} : { invocationCounter: last + 1 };
}
