import { aare, type Aare } from '../acse/aare.ts';
import { aarq, type Aarq } from '../acse/aarq.ts';
import type { ApplicationContext } from '../acse/names.ts';
import { decode, encode } from '../codec/codec.ts';
import { equalInConstantTime, keySizeOf } from '../security/cipher.ts';
import { isHls, MECHANISM_NAMES, usesTitles } from '../security/hls.ts';
import { protectionOverhead } from '../security/protection.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import { confirmedServiceError } from '../xdlms/confirmed-service-error.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import { DLMS_VERSION, initiateRequest, initiateResponse, VAA_NAME_LN, VAA_NAME_SN, type InitiateRequest } from '../xdlms/initiate.ts';
import { AssociationError } from './association-error.ts';
import { challengeSizeOf, isAnswerable, isChallenge } from './challenge.ts';
import { MAX_STREAM_OCTETS } from './block-stream.ts';
import { SecureChannel, type GeneralKeys } from './secure-channel.ts';
import { ServerBlocks } from './server-blocks.ts';
import type { ClientRule, LogicalDeviceOptions } from './server-options.ts';
import type { ServiceContext } from './server-members.ts';

const SMALLEST_PDU = 64;
const LARGEST_PDU = 0xffff;

const SUPPORTED: readonly Conformance[] = [
  'generalProtection',
  'generalBlockTransfer',
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
  'action',
];

const SUPPORTED_SHORT: readonly Conformance[] = [
  'generalProtection',
  'generalBlockTransfer',
  'read',
  'write',
  'unconfirmedWrite',
  'blockTransferGet',
  'blockTransferSet',
  'multipleReferences',
  'parameterizedAccess',
];

/** The association of one client with a logical device. */
export interface ServerAssociation extends ServiceContext {
  channel: SecureChannel | undefined;
  /** Octets of the largest APDU the client accepts. */
  clientPduSize: number;
  /** Present once general block transfer is negotiated; it carries the whole APDU, protected if required. */
  blocks: ServerBlocks | undefined;
  /** The same for blocks that are protected separately. */
  protectedBlocks: ServerBlocks | undefined;
  /** Set until HLS completes; the client may do nothing else before. */
  pending: { ctos: Uint8Array; stoc: Uint8Array; clientTitle: Uint8Array } | undefined;
}

type Challenge = Pick<Aarq, 'authenticationValue' | 'callingApTitle'>;
type Rejection = { diagnostic: Aare['diagnostic']; userInformation?: Uint8Array };

const rejectionFor = (reason: Extract<Aare['diagnostic'], { source: 'user' }>['reason'], userInformation?: Uint8Array): Rejection => ({
  diagnostic: { source: 'user', reason },
  ...(userInformation === undefined ? {} : { userInformation }),
});

const INITIATE_ERROR = { versionTooLow: 1, pduSizeTooShort: 3, refused: 4 } as const;
const initiateError = (value: number): Uint8Array =>
  encode(confirmedServiceError, { service: 'initiateError', errorClass: 'initiate', value });

/**
 * Serves an AARQ: the response, and the association when it is accepted. Throws `DecodeError` if the request is broken, and
 * `AssociationError` if it is not protected with our keys, replays a counter, or lacks the challenge that HLS requires.
 */
export function acceptAssociation(
  device: LogicalDeviceOptions,
  clientSap: number,
  apdu: Uint8Array,
): { response: Uint8Array; session: ServerAssociation | undefined } {
  const request = decode(aarq, apdu);
  const rule = device.rules.get(clientSap);
  const why = rule === undefined ? rejectionFor('noReasonGiven') : checkRequest(device, rule, request);
  if (rule === undefined || why !== undefined) return encodeRejection(request, why ?? rejectionFor('noReasonGiven'));
  const channel = channelFor(device, rule, request);
  const initiate = readInitiate(rule, channel, request);
  if (initiate.dlmsVersion < DLMS_VERSION)
    return encodeRejection(request, rejectionFor('noReasonGiven', initiateError(INITIATE_ERROR.versionTooLow)));
  if (initiate.maxPduSize !== 0 && initiate.maxPduSize < SMALLEST_PDU)
    return encodeRejection(request, rejectionFor('noReasonGiven', initiateError(INITIATE_ERROR.pduSizeTooShort)));
  const { dedicatedKey } = initiate;
  if (dedicatedKey !== undefined && (!rule.ciphered || dedicatedKey.length !== keySizeOf(device.suite ?? 0)))
    return encodeRejection(request, rejectionFor('noReasonGiven', initiateError(INITIATE_ERROR.refused)));
  if (dedicatedKey !== undefined) channel?.setDedicatedKey(dedicatedKey);
  const session = sessionOf({ device, rule, clientSap, channel }, request, initiate);
  return { response: encodeAcceptance(session, request), session };
}

/** The association of a client that needs no AARQ; undefined: its rule requires one. */
export function preEstablishedAssociation(device: LogicalDeviceOptions, clientSap: number): ServerAssociation | undefined {
  const rule = device.rules.get(clientSap);
  if (rule?.preEstablished === undefined) return undefined;
  const { clientTitle, preEstablished } = rule;
  const channel = channelFor(device, rule, { callingApTitle: clientTitle });
  if (rule.ciphered && channel === undefined) throw new Error('A ciphered pre-established association needs keys and a client title');
  const initiate = { ...preEstablished, conformance: [...preEstablished.conformance] };
  return sessionOf({ device, rule, clientSap, channel }, {}, initiate);
}

const encodeRejection = ({ applicationContext }: Aarq, why: Rejection) => ({
  response: encode(aare, { applicationContext, result: 'rejectedPermanent', ...why }),
  session: undefined,
});

const contextOf = ({ shortNames, ciphered }: ClientRule): ApplicationContext => {
  if (shortNames === true) return ciphered ? 'snCiphered' : 'sn';
  return ciphered ? 'lnCiphered' : 'ln';
};

function checkRequest(device: LogicalDeviceOptions, rule: ClientRule, request: Aarq): Rejection | undefined {
  if (rule.preEstablished !== undefined) return rejectionFor('noReasonGiven');
  if (request.applicationContext !== contextOf(rule)) return rejectionFor('applicationContextNameNotSupported');
  const wanted = MECHANISM_NAMES[rule.mechanism];
  const mechanism = request.mechanism ?? 'lowest';
  if (mechanism !== wanted)
    return rejectionFor(mechanism === 'lowest' ? 'authenticationRequired' : 'authenticationMechanismNameNotRecognised');
  if (rule.mechanism === 'low' && !isPassword(rule, request.authenticationValue)) return rejectionFor('authenticationFailure');
  if (needsKeys(rule) && device.keys === undefined) throw new Error('A rule asks for keys that the device does not have');
  if (!needsKeys(rule) && !usesTitles(rule.mechanism)) return undefined;
  return checkClientTitle(device, rule, request.callingApTitle);
}

const needsKeys = ({ ciphered, mechanism }: ClientRule): boolean => ciphered || mechanism === 'hlsGmac';

function checkClientTitle(device: LogicalDeviceOptions, rule: ClientRule, title: Uint8Array | undefined): Rejection | undefined {
  const fits =
    title?.length === device.systemTitle.length &&
    !equalInConstantTime(title, device.systemTitle) &&
    (rule.clientTitle === undefined || equalInConstantTime(title, rule.clientTitle));
  return fits ? undefined : rejectionFor('callingApTitleNotRecognized');
}

function isPassword({ password }: ClientRule, given: Uint8Array | undefined): boolean {
  return password !== undefined && given !== undefined && equalInConstantTime(password, given);
}

function channelFor(
  device: LogicalDeviceOptions,
  rule: ClientRule,
  { callingApTitle }: Pick<Aarq, 'callingApTitle'>,
): SecureChannel | undefined {
  const { keys, cipher, policy = 'authEnc', suite, systemTitle, counters } = device;
  if (!needsKeys(rule) || keys === undefined || callingApTitle === undefined) return undefined;
  const clientTitle = Uint8Array.from(callingApTitle);
  return new SecureChannel({
    cipher,
    keys,
    policy,
    suite,
    general: device.generalCiphering ?? agreementKeysFor(device, clientTitle),
    signing: signingKeysFor(device, rule, clientTitle),
    ownTitle: systemTitle,
    peerTitle: clientTitle,
    peerCounter: counters.last(clientTitle),
    nextCounter: () => counters.next(),
    onPeerCounter: (counter) => counters.accept(clientTitle, counter),
  });
}

/** The keys of general signing, when both sides have some. */
function signingKeysFor({ privateKey: own, credentials }: LogicalDeviceOptions, rule: ClientRule, clientTitle: Uint8Array) {
  const privateKey = own ?? credentials?.privateKey('digitalSignature');
  const peerPublicKey = rule.publicKey ?? credentials?.publicKeyOf('digitalSignature', clientTitle);
  return privateKey === undefined || peerPublicKey === undefined ? undefined : { privateKey, peerPublicKey };
}

/** The keys of general ciphering, when certificates of both sides exist. */
function agreementKeysFor({ credentials }: LogicalDeviceOptions, clientTitle: Uint8Array): GeneralKeys | undefined {
  const agreementKey = credentials?.privateKey('keyAgreement');
  const peerAgreementKey = credentials?.publicKeyOf('keyAgreement', clientTitle);
  if (agreementKey === undefined || peerAgreementKey === undefined) return undefined;
  const peerSigningKey = credentials?.publicKeyOf('digitalSignature', clientTitle);
  const known = peerSigningKey === undefined ? {} : { peerSigningKey };
  return { choice: { kind: 'static', agreementKey, peerAgreementKey }, agreementKey, peerAgreementKey, ...known };
}

function readInitiate(rule: ClientRule, channel: SecureChannel | undefined, { userInformation }: Aarq): InitiateRequest {
  const octets = userInformation ?? new Uint8Array(0);
  if (!rule.ciphered || channel === undefined) return decode(initiateRequest, octets);
  if (!isCipheredTag(octets[0] ?? 0)) throw new AssociationError('DECRYPT_FAILED', 'the InitiateRequest is not protected');
  return decode(initiateRequest, channel.unprotect(octets));
}

function sessionOf(
  { device, rule, clientSap, channel }: Pick<ServerAssociation, 'device' | 'rule' | 'clientSap' | 'channel'>,
  request: Challenge,
  initiate: Pick<InitiateRequest, 'conformance' | 'maxPduSize'>,
): ServerAssociation {
  const granted = (name: Conformance) =>
    initiate.conformance.includes(name) &&
    (name !== 'generalProtection' || rule.ciphered) &&
    (name !== 'generalBlockTransfer' || device.generalBlockTransfer !== undefined);
  const conformance = (rule.shortNames === true ? SUPPORTED_SHORT : SUPPORTED).filter(granted);
  if (channel !== undefined && conformance.includes('generalProtection')) channel.form = 'general';
  const maxPduSize = initiate.maxPduSize === 0 ? LARGEST_PDU : initiate.maxPduSize;
  const { generalBlockTransfer } = device;
  const overhead = rule.ciphered && channel !== undefined ? channel.overhead : 0;
  const inBlocks = generalBlockTransfer !== undefined && conformance.includes('generalBlockTransfer');
  const blocks = inBlocks ? new ServerBlocks({ maxPduSize, window: generalBlockTransfer.window }) : undefined;
  // A block has no service-specific form.
  const blockRoom = maxPduSize - Math.max(overhead, protectionOverhead('general'));
  const protectedBlocks =
    inBlocks && rule.ciphered ? new ServerBlocks({ maxPduSize: blockRoom, window: generalBlockTransfer.window }) : undefined;
  const room = blocks === undefined ? maxPduSize - overhead : MAX_STREAM_OCTETS;
  const pending = isHls(rule.mechanism) ? challengesOf(device, rule, request) : undefined;
  return { device, rule, clientSap, channel, clientPduSize: maxPduSize, room, blocks, protectedBlocks, pending, conformance };
}

function challengesOf({ cipher }: LogicalDeviceOptions, rule: ClientRule, request: Challenge): NonNullable<ServerAssociation['pending']> {
  const { authenticationValue: ctos, callingApTitle = new Uint8Array(0) } = request;
  if (!isChallenge(ctos)) throw new AssociationError('AUTH_FAILED', 'no valid challenge from the client');
  if (!isAnswerable(rule.mechanism, ctos)) throw new AssociationError('CHALLENGE_UNSUPPORTED', `a challenge of ${ctos.length} octets`);
  // At least as long as the challenge of the client, which may require that length.
  const size = Math.max(challengeSizeOf(rule.mechanism), ctos.length);
  return { ctos: Uint8Array.from(ctos), stoc: cipher.random(size), clientTitle: Uint8Array.from(callingApTitle) };
}

/** The InitiateResponse: sent in the AARE, and again, as authentication, in the RLRE. */
export const initiateResponseOf = ({ device, rule, conformance }: ServerAssociation): Uint8Array =>
  encode(initiateResponse, {
    dlmsVersion: DLMS_VERSION,
    conformance: [...conformance],
    maxPduSize: Math.min(device.maxPduSize, LARGEST_PDU),
    vaaName: rule.shortNames === true ? VAA_NAME_SN : VAA_NAME_LN,
  });

function encodeAcceptance(session: ServerAssociation, { applicationContext }: Aarq): Uint8Array {
  const { channel, pending, rule, device } = session;
  const initiate = initiateResponseOf(session);
  return encode(aare, {
    applicationContext,
    result: 'accepted',
    diagnostic: { source: 'user', reason: pending === undefined ? 'null' : 'authenticationRequired' },
    ...(channel === undefined && !usesTitles(rule.mechanism) ? {} : { respondingApTitle: device.systemTitle }),
    ...(pending === undefined
      ? {}
      : { authenticationRequirement: true, mechanism: MECHANISM_NAMES[rule.mechanism], authenticationValue: pending.stoc }),
    userInformation: rule.ciphered && channel !== undefined ? channel.protectInitiate(initiate) : initiate,
  });
}
