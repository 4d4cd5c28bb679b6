import { memberOf, type ShortNamedMember } from '../catalogue/short-names.ts';
import { decode, encode } from '../codec/codec.ts';
import { dataCodec, octetString } from '../cosem/data.ts';
import { concatOctets } from '../security/cipher.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import type { ActionResult, DataAccessResult, DataResult } from '../xdlms/data-access-result.ts';
import { readRequest, readResponse, type ReadResponse } from '../xdlms/read.ts';
import type { VariableAccess } from '../xdlms/variable-access.ts';
import { unconfirmedWriteRequest, writeRequest, writeResponse, type WriteResponse } from '../xdlms/write.ts';
import { firstBlock, followingBlock, type BlockStep, type DataBlock, type LongRequest } from './long-request.ts';
import { invokeMethod, readAttribute, writeAttribute, type LongAnswer, type ServiceContext } from './server-members.ts';
import { NOT_SUPPORTED } from './server-refusal.ts';

/** Octets of a READ response besides the data of one block: header and the longest length below 64 KiB. */
const BLOCK_OVERHEAD = 6 + 3;
const TAG_SIZE = 1;
const READ_TAG = Uint8Array.of(APDU_TAGS.readRequest);
const WRITE_TAG = Uint8Array.of(APDU_TAGS.writeRequest);
const NULL_DATA = Uint8Array.of(0);
const NAME_MASK = 0xffff;

const REFUSAL: Record<Extract<BlockStep<unknown>, { kind: 'refused' }>['why'], DataAccessResult> = {
  notInProgress: 'dataBlockUnavailable',
  blockNumberInvalid: 'dataBlockNumberInvalid',
  tooLong: 'longSetAborted',
};

const refuseRead = (result: DataAccessResult): Uint8Array => encode(readResponse, { results: [{ kind: 'dataAccessError', result }] });
const refuseWrite = (result: DataAccessResult): Uint8Array => encode(writeResponse, { results: [{ kind: 'dataAccessError', result }] });

/** The result of a method in READ and WRITE, which have no results of long actions. */
const dataResultOf = (result: ActionResult): DataAccessResult =>
  result === 'longActionAborted' || result === 'noLongActionInProgress' ? 'longSetAborted' : result;

function memberNamed({ device }: ServiceContext, variableName: number): ShortNamedMember | undefined {
  return memberOf(device.shortNames?.() ?? [], variableName & NAME_MASK);
}

/** Serves a READ request, which also invokes methods. Throws `DecodeError` if it is broken. */
export function serveRead(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const { specifications } = decode(readRequest, apdu);
  const [first] = specifications;
  if (first?.kind === 'blockNumberAccess') return serveNext(context, first.blockNumber);
  context.longGet = undefined;
  if (first?.kind === 'readDataBlockAccess') return serveReadBlock(context, first);
  context.longRead = undefined;
  return answerRead(context, specifications);
}

function answerRead(context: ServiceContext, specifications: readonly VariableAccess[]): Uint8Array {
  const results = specifications.map((specification): ReadResponse['results'][number] => {
    const answer = readOne(context, specification);
    return answer.ok ? { kind: 'data', data: answer.data } : { kind: 'dataAccessError', result: answer.result };
  });
  const response = encode(readResponse, { results });
  if (response.length <= context.room) return response;
  if (!context.conformance.includes('blockTransferGet')) return refuseRead('otherReason');
  context.longGet = { octets: response.subarray(TAG_SIZE), sent: 0, blockNumber: 0 };
  return sendBlock(context, context.longGet);
}

function readOne(context: ServiceContext, specification: VariableAccess): DataResult {
  if (specification.kind !== 'variableName' && specification.kind !== 'parameterizedAccess') return { ok: false, result: 'otherReason' };
  const member = memberNamed(context, specification.variableName);
  if (member === undefined) return { ok: false, result: 'objectUndefined' };
  const { classId, instance } = member.object;
  const isParameterized = specification.kind === 'parameterizedAccess';
  if (isParameterized && !context.conformance.includes('parameterizedAccess')) return { ok: false, result: 'readWriteDenied' };
  if (member.kind === 'attribute') {
    const selection = isParameterized ? { selector: specification.selector, parameters: specification.parameter } : undefined;
    return readAttribute(context, { classId, instance, attributeId: member.id }, selection);
  }
  const argument = isParameterized ? encode(dataCodec, specification.parameter) : undefined;
  const { result, returned } = invokeMethod(context, { classId, instance, methodId: member.id }, argument);
  if (result === 'success') return { ok: true, data: returned?.data ?? NULL_DATA };
  return { ok: false, result: dataResultOf(result) };
}

function sendBlock(context: ServiceContext, long: LongAnswer): Uint8Array {
  const fitting = Math.max(1, context.room - BLOCK_OVERHEAD);
  const raw = long.octets.subarray(long.sent, long.sent + Math.min(fitting, context.device.blockOctets?.() ?? fitting));
  long.sent += raw.length;
  long.blockNumber++;
  const lastBlock = long.sent === long.octets.length;
  if (lastBlock) context.longGet = undefined;
  return encode(readResponse, { results: [{ kind: 'dataBlock', lastBlock, blockNumber: long.blockNumber, raw }] });
}

function serveNext(context: ServiceContext, blockNumber: number): Uint8Array {
  const long = context.longGet;
  if (long?.blockNumber === blockNumber) return sendBlock(context, long);
  context.longGet = undefined;
  return refuseRead(long === undefined ? 'noLongGetInProgress' : 'dataBlockNumberInvalid');
}

/** Takes a block of a long request. Block 1 begins a request, and ends another one. */
function takeBlock(long: LongRequest<undefined> | undefined, block: DataBlock): BlockStep<undefined> {
  const { lastBlock, blockNumber, raw } = block;
  return blockNumber === 1 ? firstBlock(undefined, { lastBlock, blockNumber, raw }) : followingBlock(long, { lastBlock, blockNumber, raw });
}

function serveReadBlock(context: ServiceContext, block: DataBlock): Uint8Array {
  if (!context.conformance.includes('blockTransferGet')) return refuseRead('otherReason');
  const step = takeBlock(context.longRead, block);
  context.longRead = step.kind === 'more' ? step.long : undefined;
  if (step.kind === 'more') return encode(readResponse, { results: [{ kind: 'blockNumber', blockNumber: block.blockNumber }] });
  if (step.kind === 'refused') return refuseRead(REFUSAL[step.why]);
  const { specifications } = decode(readRequest, concatOctets(READ_TAG, step.octets));
  return answerRead(context, specifications);
}

/** Serves a WRITE request, which also invokes methods that return nothing. Throws `DecodeError` if it is broken. */
export function serveWrite(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const { specifications, data } = decode(writeRequest, apdu);
  const [first] = specifications;
  if (first?.kind === 'writeDataBlockAccess') return serveWriteBlock(context, first, data);
  context.longWrite = undefined;
  return answerWrite(context, specifications, data);
}

/**
 * Serves an unconfirmed write. Its response is not sent. Throws `DecodeError` if it is broken.
 * @spec GB 9.3 (UnconfirmedWrite service)
 */
export function serveUnconfirmedWrite(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  if (!context.conformance.includes('unconfirmedWrite')) throw NOT_SUPPORTED;
  const { specifications, data } = decode(unconfirmedWriteRequest, apdu);
  return answerWrite(context, specifications, data);
}

/** The classes of the objects that a write addresses; undefined for a name without object. */
export function classesWritten(context: ServiceContext, apdu: Uint8Array): (number | undefined)[] {
  const codec = apdu[0] === APDU_TAGS.writeRequest ? writeRequest : unconfirmedWriteRequest;
  return decode(codec, apdu).specifications.map((specification) =>
    'variableName' in specification ? memberNamed(context, specification.variableName)?.object.classId : undefined,
  );
}

function answerWrite(context: ServiceContext, specifications: readonly VariableAccess[], data: readonly Uint8Array[]): Uint8Array {
  // With unequal counts, no value can be paired with its address.
  const isPaired = data.length === specifications.length;
  const results = specifications.map((specification, i): WriteResponse['results'][number] => {
    const result = isPaired ? writeOne(context, specification, data[i] ?? NULL_DATA) : 'otherReason';
    return result === 'success' ? { kind: 'success' } : { kind: 'dataAccessError', result };
  });
  return encode(writeResponse, { results });
}

function writeOne(context: ServiceContext, specification: VariableAccess, data: Uint8Array): DataAccessResult {
  if (specification.kind !== 'variableName' && specification.kind !== 'parameterizedAccess') return 'otherReason';
  const member = memberNamed(context, specification.variableName);
  if (member === undefined) return 'objectUndefined';
  const { classId, instance } = member.object;
  if (member.kind === 'method') {
    return dataResultOf(invokeMethod(context, { classId, instance, methodId: member.id }, data).result);
  }
  const isSelective = specification.kind === 'parameterizedAccess';
  const selection = isSelective ? { selector: specification.selector, parameters: specification.parameter } : undefined;
  return writeAttribute(context, { attribute: { classId, instance, attributeId: member.id }, selection }, data);
}

function serveWriteBlock(
  context: ServiceContext,
  { lastBlock, blockNumber }: Extract<VariableAccess, { kind: 'writeDataBlockAccess' }>,
  data: readonly Uint8Array[],
): Uint8Array {
  if (!context.conformance.includes('blockTransferSet') || data[0] === undefined) return refuseWrite('otherReason');
  const step = takeBlock(context.longWrite, { lastBlock, blockNumber, raw: decode(octetString, data[0]) });
  context.longWrite = step.kind === 'more' ? step.long : undefined;
  if (step.kind === 'more') return encode(writeResponse, { results: [{ kind: 'blockNumber', blockNumber }] });
  if (step.kind === 'refused') return refuseWrite(REFUSAL[step.why]);
  const { specifications, data: values } = decode(writeRequest, concatOctets(WRITE_TAG, step.octets));
  return answerWrite(context, specifications, values);
}
