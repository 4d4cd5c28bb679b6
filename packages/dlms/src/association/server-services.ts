import { decode, encode, listOf } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { dataCodec, rawData, type Data } from '../cosem/data.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { actionRequest, actionResponse } from '../xdlms/action.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import { dataResult, type DataResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import { getRequest, getResponse, type GetRequest } from '../xdlms/get.ts';
import type { Invoke } from '../xdlms/invoke.ts';
import { setRequest, setResponse } from '../xdlms/set.ts';
import { objectKey, type AccessKind, type ClientRule, type LogicalDeviceOptions, type ServerObject } from './server-options.ts';

/** Octets of a GET response around the raw octets of one block: its header, and the longest length that fits 64 KiB. */
const BLOCK_OVERHEAD = 9 + 3;
const listResults = listOf(dataResult(rawData), 2);

/** An answer that is being sent in blocks. */
interface LongGet {
  octets: Uint8Array;
  sent: number;
  blockNumber: number;
}

/** What the services need to know about the association they run in. */
export interface ServiceContext {
  device: LogicalDeviceOptions;
  rule: ClientRule;
  clientSap: number;
  /** Octets of an unprotected response that the client can receive after protection. */
  room: number;
  conformance: readonly Conformance[];
  longGet?: LongGet | undefined;
}

/** The service asked for is none that this server has. */
export class ServiceNotSupported extends Error {}

function find(context: ServiceContext, classId: number, instance: AttributeDescriptor['instance']): ServerObject | undefined {
  const { objects } = context.device;
  return typeof objects === 'function' ? objects(classId, instance) : objects.get(objectKey(classId, instance));
}

function mayUse({ rule, clientSap }: ServiceContext, object: ServerObject, kind: AccessKind, memberId: number): boolean {
  if (rule.allows !== undefined && !rule.allows(kind, object)) return false;
  return object.access === undefined || object.access(kind, memberId, clientSap);
}

function read(context: ServiceContext, attribute: AttributeDescriptor, selection: Selection | undefined): DataResult {
  const object = find(context, attribute.classId, attribute.instance);
  if (object === undefined) return { ok: false, result: 'objectUndefined' };
  if (!mayUse(context, object, 'read', attribute.attributeId)) return { ok: false, result: 'readWriteDenied' };
  const answer = guarded(() => object.read(attribute.attributeId, selection));
  return typeof answer === 'string' ? { ok: false, result: answer } : { ok: true, data: answer };
}

/** Parameters that are not what an object expects are the client's mistake, and told so. */
function guarded<T>(attempt: () => T): T | 'typeUnmatched' {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return 'typeUnmatched';
    throw error;
  }
}

/** Answers a GET request. Throws `DecodeError` if it is broken. */
export function serveGet(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(getRequest, apdu);
  if (request.kind === 'next') return serveNext(context, request);
  context.longGet = undefined;
  const { invoke } = request;
  if (request.kind === 'normal') {
    const result = read(context, request.attribute, request.selection);
    const response = encode(getResponse, { kind: 'normal', invoke, result });
    return response.length <= context.room || !result.ok ? response : beginBlocks(context, invoke, result.data);
  }
  const results = request.items.map(({ attribute, selection }) => read(context, attribute, selection));
  const response = encode(getResponse, { kind: 'withList', invoke, results });
  return response.length <= context.room ? response : beginBlocks(context, invoke, encode(listResults, results));
}

function beginBlocks(context: ServiceContext, invoke: Invoke, octets: Uint8Array): Uint8Array {
  if (!context.conformance.includes('blockTransferGet'))
    return encode(getResponse, { kind: 'normal', invoke, result: { ok: false, result: 'otherReason' } });
  context.longGet = { octets, sent: 0, blockNumber: 0 };
  return sendBlock(context, context.longGet, invoke);
}

function sendBlock(context: ServiceContext, long: LongGet, invoke: Invoke): Uint8Array {
  const size = Math.max(1, context.room - BLOCK_OVERHEAD);
  const raw = long.octets.subarray(long.sent, long.sent + size);
  long.sent += raw.length;
  long.blockNumber++;
  const lastBlock = long.sent === long.octets.length;
  if (lastBlock) context.longGet = undefined;
  return encode(getResponse, { kind: 'withDatablock', invoke, lastBlock, blockNumber: long.blockNumber, result: { ok: true, data: raw } });
}

function serveNext(context: ServiceContext, { invoke, blockNumber }: Extract<GetRequest, { kind: 'next' }>): Uint8Array {
  const long = context.longGet;
  if (long?.blockNumber === blockNumber) return sendBlock(context, long, invoke);
  context.longGet = undefined;
  const result = long === undefined ? 'noLongGetInProgress' : 'dataBlockNumberInvalid';
  return encode(getResponse, { kind: 'withDatablock', invoke, lastBlock: true, blockNumber, result: { ok: false, result } });
}

/** Answers a SET request. Throws `DecodeError` if it is broken, `ServiceNotSupported` if it comes in blocks. */
export function serveSet(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(setRequest, apdu);
  if (request.kind === 'normal') {
    const result = write(context, request.attribute, request.data, request.selection);
    return encode(setResponse, { kind: 'normal', invoke: request.invoke, result });
  }
  if (request.kind !== 'withList' || request.items.length !== request.data.length) throw new ServiceNotSupported();
  const results = request.items.map(({ attribute, selection }, i) =>
    write(context, attribute, request.data[i] ?? new Uint8Array(0), selection),
  );
  return encode(setResponse, { kind: 'withList', invoke: request.invoke, results });
}

function write(context: ServiceContext, attribute: AttributeDescriptor, data: Uint8Array, selection: Selection | undefined) {
  const object = find(context, attribute.classId, attribute.instance);
  if (object === undefined) return 'objectUndefined';
  if (object.write === undefined || !mayUse(context, object, 'write', attribute.attributeId)) return 'readWriteDenied';
  return guarded(() => object.write?.(attribute.attributeId, decode(dataCodec, data), selection) ?? 'readWriteDenied');
}

/** Answers an ACTION request. Throws `DecodeError` if it is broken, `ServiceNotSupported` if it is a list or in blocks. */
export function serveAction(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(actionRequest, apdu);
  if (request.kind !== 'normal') throw new ServiceNotSupported();
  const { invoke, method, argument } = request;
  const object = find(context, method.classId, method.instance);
  if (object === undefined) return encode(actionResponse, { kind: 'normal', invoke, result: 'objectUndefined' });
  if (object.invoke === undefined || !mayUse(context, object, 'invoke', method.methodId))
    return encode(actionResponse, { kind: 'normal', invoke, result: 'readWriteDenied' });
  const given: Data | undefined = argument === undefined ? undefined : decode(dataCodec, argument);
  const answer = guarded(() => object.invoke?.(method.methodId, given) ?? { result: 'readWriteDenied' as const });
  const { result, data } = answer === 'typeUnmatched' ? { result: answer, data: undefined } : { data: undefined, ...answer };
  return encode(actionResponse, { kind: 'normal', invoke, result, ...(data === undefined ? {} : { returned: { ok: true, data } }) });
}
