import { decode, encode, optional, sequence } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { rawData } from '../cosem/data.ts';
import { actionRequest, actionResponse, type ActionRequest, type ActionResponse } from '../xdlms/action.ts';
import { actionResult, dataResult, type ActionResult, type DataAccessResult } from '../xdlms/data-access-result.ts';
import type { MethodDescriptor, SelectedAttribute } from '../xdlms/descriptors.ts';
import type { Invoke } from '../xdlms/invoke.ts';
import { setRequest, setResponse, type SetRequest } from '../xdlms/set.ts';
import { firstBlock, followingBlock, type BlockStep, type DataBlock } from './long-request.ts';
import { invokeMethod, writeAttribute, type CallResult, type LongAnswer, type ServiceContext } from './server-members.ts';
import { serviceList } from '../xdlms/service-list.ts';

/** Octets of an ACTION response besides the data of one block. */
const BLOCK_OVERHEAD = 8 + 3;
const valueList = serviceList(rawData);
const returned = dataResult(rawData);
/** @spec GB 9.5 (Action-Response-With-Optional-Data) */
const several = serviceList(sequence({ result: actionResult, returned: optional(returned) }), 2);

type Refused = Extract<BlockStep<unknown>, { kind: 'refused' }>['why'];
const SET_REFUSAL: Record<Refused, DataAccessResult> = {
  notInProgress: 'noLongSetInProgress',
  blockNumberInvalid: 'dataBlockNumberInvalid',
  tooLong: 'longSetAborted',
};
const ACTION_REFUSAL: Record<Refused, ActionResult> = {
  notInProgress: 'noLongActionInProgress',
  blockNumberInvalid: 'longActionAborted',
  tooLong: 'longActionAborted',
};

const blockOf = ({ lastBlock, blockNumber, raw }: DataBlock): DataBlock => ({ lastBlock, blockNumber, raw });

/** Serves a SET request. Throws `DecodeError` if it is broken. */
export function serveSet(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(setRequest, apdu);
  const { invoke } = request;
  switch (request.kind) {
    case 'normal':
      context.longSet = undefined;
      return encode(setResponse, { kind: 'normal', invoke, result: writeAttribute(context, request, request.data) });
    case 'withList':
      context.longSet = undefined;
      return encode(setResponse, { kind: 'withList', invoke, results: writeAll(context, request.items, request.data) });
    default:
      return serveSetBlock(context, request);
  }
}

function writeAll(context: ServiceContext, items: readonly SelectedAttribute[], data: readonly Uint8Array[]): DataAccessResult[] {
  // With unequal counts, no value can be paired with its attribute.
  if (data.length !== items.length) return items.map(() => 'otherReason');
  return items.map((item, i) => writeAttribute(context, item, data[i] ?? new Uint8Array(0)));
}

type SetBlock = Exclude<SetRequest, { kind: 'normal' | 'withList' }>;

function serveSetBlock(context: ServiceContext, request: SetBlock): Uint8Array {
  const { invoke, blockNumber } = request;
  const step = takeSetBlock(context, request);
  context.longSet = step.kind === 'more' ? step.long : undefined;
  if (step.kind === 'more') return encode(setResponse, { kind: 'datablock', invoke, blockNumber });
  if (step.kind === 'refused') return encode(setResponse, { kind: 'lastDatablock', invoke, result: SET_REFUSAL[step.why], blockNumber });
  const { items, list } = step.target;
  if (!list) {
    const [item] = items;
    const result = item === undefined ? 'otherReason' : writeAttribute(context, item, step.octets);
    return encode(setResponse, { kind: 'lastDatablock', invoke, result, blockNumber });
  }
  const values = decodeValueList(step.octets);
  const results = values === undefined ? items.map(() => 'typeUnmatched' as const) : writeAll(context, items, values);
  return encode(setResponse, { kind: 'lastDatablockWithList', invoke, results, blockNumber });
}

function takeSetBlock(context: ServiceContext, request: SetBlock): BlockStep<{ items: SelectedAttribute[]; list: boolean }> {
  const block = blockOf(request);
  if (request.kind === 'firstDatablock')
    return firstBlock({ items: [{ attribute: request.attribute, selection: request.selection }], list: false }, block);
  if (request.kind === 'withListAndFirstDatablock') return firstBlock({ items: request.items, list: true }, block);
  return followingBlock(context.longSet, block);
}

/** Decodes a list of Data received in blocks; undefined when it is none. */
function decodeValueList(octets: Uint8Array): Uint8Array[] | undefined {
  try {
    return decode(valueList, octets);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Serves an ACTION request. Throws `DecodeError` if it is broken. */
export function serveAction(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(actionRequest, apdu);
  const { invoke } = request;
  if (request.kind === 'nextPblock') return serveNextReturned(context, request);
  context.longReturn = undefined;
  switch (request.kind) {
    case 'normal':
      context.longAction = undefined;
      return answerOne(context, invoke, invokeMethod(context, request.method, request.argument));
    case 'withList':
      context.longAction = undefined;
      return answerList(context, invoke, callAll(context, request.methods, request.arguments));
    default:
      return serveActionBlock(context, request);
  }
}

function callAll(context: ServiceContext, methods: readonly MethodDescriptor[], data: readonly Uint8Array[]): CallResult[] {
  if (data.length !== methods.length) return methods.map(() => ({ result: 'otherReason' }));
  return methods.map((method, i) => invokeMethod(context, method, data[i]));
}

type ActionBlock = Exclude<ActionRequest, { kind: 'normal' | 'withList' | 'nextPblock' }>;

function serveActionBlock(context: ServiceContext, request: ActionBlock): Uint8Array {
  const { invoke, blockNumber } = request;
  const step = takeActionBlock(context, request);
  context.longAction = step.kind === 'more' ? step.long : undefined;
  if (step.kind === 'more') return encode(actionResponse, { kind: 'nextPblock', invoke, blockNumber });
  if (step.kind === 'refused') return encode(actionResponse, { kind: 'normal', invoke, result: ACTION_REFUSAL[step.why] });
  const { methods, list } = step.target;
  if (!list) {
    const [method] = methods;
    return answerOne(context, invoke, method === undefined ? { result: 'otherReason' } : invokeMethod(context, method, step.octets));
  }
  const values = decodeValueList(step.octets);
  const results = values === undefined ? methods.map((): CallResult => ({ result: 'typeUnmatched' })) : callAll(context, methods, values);
  return answerList(context, invoke, results);
}

function takeActionBlock(context: ServiceContext, request: ActionBlock): BlockStep<{ methods: MethodDescriptor[]; list: boolean }> {
  const block = blockOf(request);
  if (request.kind === 'firstPblock') return firstBlock({ methods: [request.method], list: false }, block);
  if (request.kind === 'withListAndFirstPblock') return firstBlock({ methods: request.methods, list: true }, block);
  return followingBlock(context.longAction, block);
}

function answerOne(context: ServiceContext, invoke: Invoke, result: CallResult): Uint8Array {
  const response = encode(actionResponse, { kind: 'normal', invoke, ...result });
  if (response.length <= context.room || result.returned === undefined) return response;
  return beginReturn(context, invoke, result.returned.data);
}

function answerList(context: ServiceContext, invoke: Invoke, results: CallResult[]): Uint8Array {
  const response = encode(actionResponse, { kind: 'withList', invoke, results });
  return response.length <= context.room ? response : beginReturn(context, invoke, encode(several, results));
}

/** Sends a return value in blocks: the Data of one method only, as other stacks do, or the results of a list. */
function beginReturn(context: ServiceContext, invoke: Invoke, octets: Uint8Array): Uint8Array {
  if (!context.conformance.includes('blockTransferAction'))
    return encode(actionResponse, { kind: 'normal', invoke, result: 'otherReason' });
  context.longReturn = { octets, sent: 0, blockNumber: 0 };
  return sendReturned(context, context.longReturn, invoke);
}

function sendReturned(context: ServiceContext, long: LongAnswer, invoke: Invoke): Uint8Array {
  const raw = long.octets.subarray(long.sent, long.sent + Math.max(1, context.room - BLOCK_OVERHEAD));
  long.sent += raw.length;
  long.blockNumber++;
  const lastBlock = long.sent === long.octets.length;
  if (lastBlock) context.longReturn = undefined;
  return encode(actionResponse, { kind: 'pblock', invoke, lastBlock, blockNumber: long.blockNumber, raw });
}

function serveNextReturned(context: ServiceContext, { invoke, blockNumber }: Extract<ActionRequest, { kind: 'nextPblock' }>): Uint8Array {
  const long = context.longReturn;
  if (long?.blockNumber === blockNumber) return sendReturned(context, long, invoke);
  context.longReturn = undefined;
  const result = long === undefined ? 'noLongActionInProgress' : 'longActionAborted';
  return encode(actionResponse, { kind: 'normal', invoke, result } satisfies ActionResponse);
}
