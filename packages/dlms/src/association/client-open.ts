import { aare, type Aare } from '../acse/aare.ts';
import { aarq } from '../acse/aarq.ts';
import type { ApplicationContext } from '../acse/names.ts';
import { decode, encode } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import { octetString } from '../cosem/data.ts';
import { obis } from '../cosem/obis.ts';
import { equalInConstantTime } from '../security/cipher.ts';
import {
  isHls,
  verifyHlsAnswer,
  MECHANISM_NAMES,
  computeHlsAnswer,
  assertCredentials,
  usesTitles,
  type HlsMechanism,
} from '../security/hls.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import { DLMS_VERSION, initiateRequest, initiateResponse, type InitiateResponse } from '../xdlms/initiate.ts';
import { AssociationError } from './association-error.ts';
import { challengeSizeOf, isAnswerable, isChallenge } from './challenge.ts';
import type { ClientOptions, Negotiated } from './client-options.ts';
import { replyToHls } from './client-short-names.ts';
import { invokeMethod, type InvokeResult } from './client-writes.ts';
import { throwIfErrorApdu, type ClientDialogue } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';

/** Logical name of the current association, present in every server. */
export const CURRENT_ASSOCIATION = obis('0.0.40.0.0.255');
const ASSOCIATION_LN = 15;
const REPLY_TO_HLS = 1;

/** A server with a smaller PDU size cannot receive any request. */
const SMALLEST_PDU = 12;
const LARGEST_PDU = 0xffff;

/** Services of a server with short names. */
const PROPOSED_SHORT: readonly Conformance[] = [
  'read',
  'write',
  'unconfirmedWrite',
  'blockTransferGet',
  'blockTransferSet',
  'multipleReferences',
  'informationReport',
  'parameterizedAccess',
];

const PROPOSED: readonly Conformance[] = [
  'priorityManagement',
  'blockTransferGet',
  'blockTransferSet',
  'blockTransferAction',
  'multipleReferences',
  'access',
  'dataNotification',
  'get',
  'set',
  'selectiveAccess',
  'eventNotification',
  'action',
];

/** Maximum cached InitiateRequests; a fleet has few distinct option sets. */
const MAX_INITIATES = 64;
const INITIATES = new Map<string, Uint8Array>();

/** Without negotiation, a service that few servers have is not assumed. */
const NOT_ASSUMED: readonly Conformance[] = ['access', 'dataNotification', 'eventNotification', 'informationReport'];

function proposalOf({ generalProtection, generalBlockTransfer, withheld = [], shortNames }: ClientOptions): Conformance[] {
  const proposal = (shortNames === undefined ? PROPOSED : PROPOSED_SHORT).filter((service) => !withheld.includes(service));
  if (generalProtection === true) proposal.push('generalProtection');
  if (generalBlockTransfer !== undefined) proposal.push('generalBlockTransfer');
  return proposal;
}

/** The InitiateRequest of an association. Without a dedicated key it depends on few options only and is cached. */
export function initiateOf(options: ClientOptions): Uint8Array {
  const { dedicatedKey, maxPduSize, generalProtection = false, generalBlockTransfer, withheld = [], shortNames } = options;
  if (dedicatedKey !== undefined) return encodeInitiate(options);
  const key = `${maxPduSize}/${generalProtection}/${generalBlockTransfer !== undefined}/${shortNames !== undefined}/${withheld.join()}`;
  const known = INITIATES.get(key) ?? encodeInitiate(options);
  if (INITIATES.size < MAX_INITIATES) INITIATES.set(key, known);
  return known;
}

function encodeInitiate(options: ClientOptions): Uint8Array {
  return encode(initiateRequest, {
    ...(options.dedicatedKey === undefined ? {} : { dedicatedKey: options.dedicatedKey }),
    responseAllowed: true,
    dlmsVersion: DLMS_VERSION,
    conformance: proposalOf(options),
    maxPduSize: Math.min(options.maxPduSize, LARGEST_PDU),
  });
}

/** Performs AARQ and AARE, then HLS passes 3 and 4. A pre-established association needs no round trip. */
export function* openAssociation(dialogue: ClientDialogue, options: ClientOptions): Exchange<Negotiated> {
  const { mechanism } = options;
  if (options.preEstablished !== undefined) return assumeContext(dialogue, options, options.preEstablished);
  assertCredentials(mechanism, options);
  const challenge = isHls(mechanism) ? options.cipher.random(challengeSize(options)) : undefined;
  const answer = yield* dialogue.exchangeAcse(requestOf(dialogue, options, challenge), APDU_TAGS.aare);
  const response = decode(aare, answer);
  throwIfRejected(response);
  verifyServerTitle(dialogue, options, response);
  const negotiated = negotiate(readInitiate(dialogue, options, response), dialogue, options);
  if (dialogue.channel !== undefined && options.generalProtection === true && negotiated.conformance.includes('generalProtection'))
    dialogue.channel.form = 'general';
  const { generalBlockTransfer } = options;
  if (generalBlockTransfer !== undefined && negotiated.conformance.includes('generalBlockTransfer'))
    dialogue.blocks = { maxPduSize: negotiated.maxPduSize, ...generalBlockTransfer };
  if (options.generalCiphering !== undefined) dialogue.channel?.useGeneralCiphering(true);
  if (options.generalSigning === true) dialogue.channel?.useGeneralSigning(true);
  if (challenge !== undefined && isHls(mechanism))
    yield* authenticate(dialogue, options, { mechanism, ctos: challenge, stoc: challengeOf(response, challenge, mechanism) });
  else if (response.diagnostic.reason === 'authenticationRequired')
    throw new AssociationError('AUTH_FAILED', 'the server requires authentication');
  // Passes 3 and 4 use the global key: Gurux.DLMS.c cannot decipher them under the dedicated key.
  if (options.dedicatedKey !== undefined) dialogue.channel?.useDedicatedKey(true);
  return negotiated;
}

/** The context of a pre-established association, with the services that are usual. */
function assumeContext(
  dialogue: ClientDialogue,
  options: ClientOptions,
  { maxPduSize, broadcast = false }: NonNullable<ClientOptions['preEstablished']>,
): Negotiated {
  const { mechanism, ciphered, cipher, peer } = options;
  if (mechanism !== 'none') throw new Error('A pre-established association has no authentication');
  if (ciphered && dialogue.channel === undefined) throw new Error('A ciphered association needs keys');
  if (ciphered && broadcast && options.keys?.bk === undefined) throw new Error('A ciphered broadcast needs the broadcast key');
  if (ciphered && !broadcast && peer.systemTitle === undefined)
    throw new AssociationError('UNEXPECTED_ANSWER', 'the system title of the server is not known');
  dialogue.serverTitle = peer.systemTitle;
  // No AARE separates this use of the association from the one before, so that a late response would have the first invoke id again.
  dialogue.skipInvokeIds(cipher.random(1)[0] ?? 0);
  const conformance = proposalOf(options).filter((service) => !NOT_ASSUMED.includes(service));
  return { conformance, maxPduSize, serverTitle: peer.systemTitle };
}

const challengeSize = ({ mechanism, challengeSize: wanted }: ClientOptions): number => wanted ?? challengeSizeOf(mechanism);

const contextOf = ({ shortNames, ciphered }: ClientOptions): ApplicationContext => {
  if (shortNames !== undefined) return ciphered ? 'snCiphered' : 'sn';
  return ciphered ? 'lnCiphered' : 'ln';
};

function requestOf({ channel }: ClientDialogue, options: ClientOptions, challenge: Uint8Array | undefined): Uint8Array {
  const initiate = initiateOf(options);
  const { mechanism, ciphered, systemTitle, password } = options;
  if (ciphered && channel === undefined) throw new Error('A ciphered association needs keys');
  if (options.dedicatedKey !== undefined && !ciphered) throw new Error('A dedicated key is only offered under ciphering');
  const authentication =
    mechanism === 'none'
      ? {}
      : {
          authenticationRequirement: true,
          mechanism: MECHANISM_NAMES[mechanism],
          authenticationValue: challenge ?? password,
        };
  return encode(aarq, {
    applicationContext: contextOf(options),
    ...(channel === undefined && !usesTitles(mechanism) ? {} : { callingApTitle: systemTitle }),
    ...authentication,
    userInformation: ciphered && channel !== undefined ? channel.protectInitiate(initiate) : initiate,
  });
}

function throwIfRejected({ result, diagnostic, userInformation }: Aare): void {
  if (result === 'accepted') return;
  const why = `${result}, ${diagnostic.reason}`;
  const unproved = diagnostic.reason === 'authenticationFailure' || diagnostic.reason === 'authenticationRequired';
  // The user information of a rejection is optional and unauthenticated; it is added to the message only.
  const more = userInformation === undefined ? '' : `, ${toHex(userInformation)}`;
  throw new AssociationError(unproved ? 'AUTH_FAILED' : 'REFUSED', why + more);
}

function verifyServerTitle(dialogue: ClientDialogue, options: ClientOptions, { respondingApTitle: title }: Aare): void {
  const pinned = options.peer.systemTitle;
  const { channel } = dialogue;
  if (title === undefined || title.length === 0) {
    if (channel !== undefined && pinned === undefined) throw new AssociationError('UNEXPECTED_ANSWER', 'the server omits its system title');
    dialogue.serverTitle = pinned;
    return;
  }
  dialogue.serverTitle = new Uint8Array(title);
  if (channel !== undefined) return channel.verifySystemTitle(title);
  if (pinned !== undefined && !equalInConstantTime(pinned, title))
    throw new AssociationError('WRONG_TITLE', `${toHex(title)} instead of ${toHex(pinned)}`);
}

function readInitiate({ channel }: ClientDialogue, options: ClientOptions, { userInformation }: Aare): InitiateResponse {
  if (userInformation === undefined) throw new AssociationError('UNEXPECTED_ANSWER', 'accepted without an InitiateResponse');
  if (!options.ciphered || channel === undefined) return readInitiateResponse(userInformation);
  throwIfErrorApdu(userInformation);
  if (!isCipheredTag(userInformation[0] ?? 0)) throw new AssociationError('DECRYPT_FAILED', 'the InitiateResponse is not protected');
  const plain = channel.unprotect(userInformation);
  return readInitiateResponse(plain);
}

function readInitiateResponse(plain: Uint8Array): InitiateResponse {
  throwIfErrorApdu(plain);
  return decode(initiateResponse, plain);
}

function negotiate(response: InitiateResponse, { serverTitle }: ClientDialogue, { withheld = [] }: ClientOptions): Negotiated {
  const { dlmsVersion, maxPduSize } = response;
  const conformance = response.conformance.filter((service) => !withheld.includes(service));
  if (dlmsVersion < DLMS_VERSION) throw new AssociationError('REFUSED', `DLMS version ${dlmsVersion}`);
  if (maxPduSize !== 0 && maxPduSize < SMALLEST_PDU) throw new AssociationError('REFUSED', `a PDU size of ${maxPduSize}`);
  // 0 means no limit, but the wrapper limits the APDU length.
  return { conformance, maxPduSize: maxPduSize === 0 ? LARGEST_PDU : maxPduSize, serverTitle };
}

function challengeOf({ authenticationValue: stoc, mechanism }: Aare, ctos: Uint8Array, wanted: HlsMechanism): Uint8Array {
  if (mechanism !== undefined && mechanism !== MECHANISM_NAMES[wanted])
    throw new AssociationError('AUTH_FAILED', `the server answers with mechanism ${mechanism}`);
  if (!isChallenge(stoc)) throw new AssociationError('AUTH_FAILED', 'no valid challenge from the server');
  // A reflected challenge is an attempt to obtain our answer to our own challenge.
  if (equalInConstantTime(stoc, ctos)) throw new AssociationError('AUTH_FAILED', 'the server reflects our challenge');
  // Meters may lock a client after a wrong answer, so none is sent.
  if (!isAnswerable(wanted, stoc)) throw new AssociationError('CHALLENGE_UNSUPPORTED', `a challenge of ${stoc.length} octets`);
  return stoc;
}

/** Sends pass 3; the reply is pass 4. */
function* sendProof(dialogue: ClientDialogue, options: ClientOptions, proof: Uint8Array): Exchange<InvokeResult> {
  const limits = { maxSize: LARGEST_PDU, blocks: false };
  if (options.shortNames !== undefined) return yield* replyToHls(dialogue, limits, { type: 'octetString', value: proof });
  const ref = { classId: ASSOCIATION_LN, instance: options.associationObject ?? CURRENT_ASSOCIATION, methodId: REPLY_TO_HLS };
  return yield* invokeMethod(dialogue, limits, { ref, argument: encode(octetString, proof) });
}

function* authenticate(
  dialogue: ClientDialogue,
  options: ClientOptions,
  { mechanism, ctos, stoc }: { mechanism: HlsMechanism; ctos: Uint8Array; stoc: Uint8Array },
): Exchange<void> {
  const { cipher, keys, suite, systemTitle, nextCounter, password: secret, signing } = options;
  const serverTitle = dialogue.serverTitle ?? new Uint8Array(0);
  if (usesTitles(mechanism) && serverTitle.length === 0)
    throw new AssociationError('UNEXPECTED_ANSWER', 'the server omits its system title');
  const shared = { cipher, mechanism, keys, suite, secret };
  const ours = { ...shared, ownTitle: systemTitle, peerTitle: serverTitle, challenge: stoc, otherChallenge: ctos };
  const proof = computeHlsAnswer(ours, { nextCounter, privateKey: signing?.privateKey });
  const reply = yield* sendProof(dialogue, options, proof);
  if (!reply.ok) throw new AssociationError('AUTH_FAILED', `the server refuses our HLS answer: ${reply.result}`);
  if (reply.data === undefined) throw new AssociationError('AUTH_FAILED', 'the server sends no HLS answer');
  const theirs = { ...shared, ownTitle: serverTitle, peerTitle: systemTitle, challenge: ctos, otherChallenge: stoc };
  if (!verifyHlsAnswer(theirs, decode(octetString, reply.data), signing?.peerPublicKey))
    throw new AssociationError('AUTH_FAILED', 'the HLS answer of the server is wrong');
}
