import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import type { Selection } from '../cosem/selective-access.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { ActionResult, DataAccessResult, DataResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor, MethodDescriptor, SelectedAttribute } from '../xdlms/descriptors.ts';
import type { LongRequest } from './long-request.ts';
import { objectKey, type AccessKind, type ClientRule, type LogicalDeviceOptions, type ServerObject } from './server-options.ts';

/** A response that is sent in blocks. */
export interface LongAnswer {
  octets: Uint8Array;
  sent: number;
  blockNumber: number;
}

/** The association in which a service runs. */
export interface ServiceContext {
  device: LogicalDeviceOptions;
  rule: ClientRule;
  clientSap: number;
  /** Octets of the largest plain response that the client accepts after protection. */
  room: number;
  conformance: readonly Conformance[];
  longGet?: LongAnswer | undefined;
  longSet?: LongRequest<{ items: SelectedAttribute[]; list: boolean }> | undefined;
  longAction?: LongRequest<{ methods: MethodDescriptor[]; list: boolean }> | undefined;
  longReturn?: LongAnswer | undefined;
  /** Long requests of READ and WRITE, whose blocks carry the whole request. */
  longRead?: LongRequest<undefined> | undefined;
  longWrite?: LongRequest<undefined> | undefined;
}

function findObject(context: ServiceContext, classId: number, instance: AttributeDescriptor['instance']): ServerObject | undefined {
  const { objects } = context.device;
  return typeof objects === 'function' ? objects(classId, instance) : objects.get(objectKey(classId, instance));
}

function mayUse({ rule, clientSap }: ServiceContext, object: ServerObject, kind: AccessKind, memberId: number): boolean {
  if (rule.allows !== undefined && !rule.allows(kind, object)) return false;
  return object.access === undefined || object.access(kind, memberId, clientSap);
}

/** Reads one attribute for the client of the association. */
export function readAttribute(context: ServiceContext, attribute: AttributeDescriptor, selection: Selection | undefined): DataResult {
  const object = findObject(context, attribute.classId, attribute.instance);
  if (object === undefined) return { ok: false, result: 'objectUndefined' };
  if (!mayUse(context, object, 'read', attribute.attributeId)) return { ok: false, result: 'readWriteDenied' };
  const answer = catchTypeErrors(() => object.read(attribute.attributeId, selection, context));
  return typeof answer === 'string' ? { ok: false, result: answer } : { ok: true, data: answer };
}

/** Maps a `DecodeError` on the client's parameters to `typeUnmatched`. */
function catchTypeErrors<T>(attempt: () => T): T | 'typeUnmatched' {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return 'typeUnmatched';
    throw error;
  }
}

/** Writes one attribute for the client of the association; `data` is one encoded Data. */
export function writeAttribute(context: ServiceContext, { attribute, selection }: SelectedAttribute, data: Uint8Array): DataAccessResult {
  const object = findObject(context, attribute.classId, attribute.instance);
  if (object === undefined) return 'objectUndefined';
  if (object.write === undefined || !mayUse(context, object, 'write', attribute.attributeId)) return 'readWriteDenied';
  return catchTypeErrors(() => object.write?.(attribute.attributeId, decode(dataCodec, data), selection) ?? 'readWriteDenied');
}

/** Result and return value of a method. */
export interface CallResult {
  result: ActionResult;
  returned?: { ok: true; data: Uint8Array } | undefined;
}

/** Invokes one method for the client of the association; `argument` is one encoded Data. */
export function invokeMethod(context: ServiceContext, method: MethodDescriptor, argument: Uint8Array | undefined): CallResult {
  const object = findObject(context, method.classId, method.instance);
  if (object === undefined) return { result: 'objectUndefined' };
  if (object.invoke === undefined || !mayUse(context, object, 'invoke', method.methodId)) return { result: 'readWriteDenied' };
  const answer = catchTypeErrors(() => {
    const given: Data | undefined = argument === undefined ? undefined : decode(dataCodec, argument);
    return object.invoke?.(method.methodId, given) ?? { result: 'readWriteDenied' as const };
  });
  if (answer === 'typeUnmatched') return { result: answer };
  return answer.data === undefined ? { result: answer.result } : { result: answer.result, returned: { ok: true, data: answer.data } };
}
