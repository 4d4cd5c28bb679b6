import {
  attributeName,
  classOf,
  CURRENT_ASSOCIATION_SN,
  methodName,
  readShortNames as decodeObjectList,
  type ShortNamedObject,
} from '../catalogue/short-names.ts';
import { decode, encode } from '../codec/codec.ts';
import { associationSn } from '../cosem/classes/association-sn.ts';
import type { Data } from '../cosem/data-value.ts';
import { dataCodec, logicalName } from '../cosem/data.ts';
import type { Obis } from '../cosem/obis.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { equalInConstantTime } from '../security/cipher.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import type { VariableAccess } from '../xdlms/variable-access.ts';
import { AssociationError } from './association-error.ts';
import type { ClientDialogue } from './client-dialogue.ts';
import type { ShortNameOptions } from './client-options.ts';
import type { ObjectAddress, ReferencedServices } from './client-referencing.ts';
import type { ReadResult } from './client-services.ts';
import { encodeUnconfirmedWrite, type UnconfirmedRequest } from './client-unconfirmed.ts';
import type { InvokeItem, InvokeResult, SetItem, SetResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';
import { assertGranted, limitsOf, type Granted, type Limits } from './request-limits.ts';
import { readShortNames, writeShortNames, type ShortNameWrite } from './short-name-requests.ts';

const OBJECT_LIST = 2;
const REPLY_TO_HLS = 8;
/** Selector of a method that is invoked by READ, as jDLMS has it; servers ignore it. */
const METHOD_SELECTOR = 0;
/** Octets of a READ before its items, and octets of an item without selection. */
const READ_HEADER_SIZE = 4;
const NAME_SIZE = 3;
const NAMES = 0x1_0000;
/** More short names in one READ are not known to work anywhere. */
const MOST_NAMES = 255;
const NULL_DATA = Uint8Array.of(0);
const NO_RESULT = { ok: false, result: 'otherReason' } as const;

/** The current association, without the object list that names it. */
const CURRENT = { baseName: CURRENT_ASSOCIATION_SN, classId: associationSn.id, version: associationSn.version };

const keyOf = ({ classId, instance }: ObjectAddress): string => `${classId}/${instance}`;
const isRefusal = (value: VariableAccess | DataAccessResult): value is DataAccessResult => typeof value === 'string';

/** The ASN.1 has names as Integer16. */
const signedName = (name: number): number => (name < NAMES / 2 ? name : name - NAMES);

function specificationOf(name: number | undefined, selection?: Selection): VariableAccess | DataAccessResult {
  if (name === undefined) return 'objectUnavailable';
  const variableName = signedName(name);
  if (selection === undefined) return { kind: 'variableName', variableName };
  return { kind: 'parameterizedAccess', variableName, selector: selection.selector, parameter: selection.parameters };
}

const attributeOf = (
  object: ShortNamedObject | undefined,
  { attributeId }: AttributeDescriptor,
  selection?: Selection,
): VariableAccess | DataAccessResult =>
  object === undefined ? 'objectUndefined' : specificationOf(attributeName(object, attributeId), selection);

const ACTION_RESULTS: Partial<Record<DataAccessResult, ActionResult>> = {
  dataBlockNumberInvalid: 'longActionAborted',
  longGetAborted: 'longActionAborted',
  longSetAborted: 'longActionAborted',
  noLongGetInProgress: 'noLongActionInProgress',
  noLongSetInProgress: 'noLongActionInProgress',
};
const actionResultOf = (result: DataAccessResult): ActionResult => ACTION_RESULTS[result] ?? (result as ActionResult); // as: the other names are in both

/** Answers a challenge of the server by the method of the current association, which returns the answer of the server. @spec GB 9.2 */
export function* replyToHls(dialogue: ClientDialogue, limits: Limits, parameter: Data): Exchange<InvokeResult> {
  const name = signedName(methodName(CURRENT, REPLY_TO_HLS) ?? CURRENT.baseName);
  const specification = { kind: 'parameterizedAccess' as const, variableName: name, selector: METHOD_SELECTOR, parameter };
  const [result] = yield* readShortNames(dialogue, limits, [specification]);
  if (result?.ok === true) return result;
  return { ok: false, result: actionResultOf(result?.result ?? 'otherReason') };
}

interface UnconfirmedTarget {
  specification: VariableAccess | DataAccessResult;
  data: Uint8Array;
}

/** READ and WRITE of an association with short names. Objects are named by class and logical name, as with logical names. */
export class ShortNameServices implements ReferencedServices {
  readonly #dialogue: ClientDialogue;
  readonly #granted: () => Granted;
  readonly #options: ShortNameOptions;
  #objects: ReadonlyMap<string, ShortNamedObject> | undefined;
  /** Objects whose known base names were compared with the server in this association. */
  readonly #confirmed = new Set<string>();
  /** Whether the object list was read in this association. */
  #isFresh = false;

  constructor(dialogue: ClientDialogue, granted: () => Granted, options: ShortNameOptions) {
    this.#dialogue = dialogue;
    this.#granted = granted;
    this.#options = options;
    this.#objects = options.known && byKey(options.known);
  }

  *get(ref: AttributeDescriptor, selection?: Selection): Exchange<ReadResult> {
    this.#need('read', selection);
    const [object] = yield* this.#locate([ref]);
    const specification = attributeOf(object, ref, selection);
    if (isRefusal(specification)) return { ok: false, result: specification };
    const [result = NO_RESULT] = yield* readShortNames(this.#dialogue, this.#readLimits, [specification]);
    return result;
  }

  *getList(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[]> {
    this.#need('read');
    const objects = yield* this.#locate(refs);
    const specifications = refs.map((ref, i) => attributeOf(objects[i], ref));
    const results = yield* this.#readAll(specifications.filter((one): one is VariableAccess => !isRefusal(one)));
    let next = 0;
    return specifications.map((one) => (isRefusal(one) ? { ok: false, result: one } : (results[next++] ?? NO_RESULT)));
  }

  *set(item: SetItem): Exchange<SetResult> {
    const [result = NO_RESULT] = yield* this.setList([item]);
    return result;
  }

  *setList(items: readonly SetItem[]): Exchange<SetResult[]> {
    this.#need('write', ...items.map(({ selection }) => selection));
    const objects = yield* this.#locate(items.map(({ ref }) => ref));
    const specifications = items.map(({ ref, selection }, i) => attributeOf(objects[i], ref, selection));
    const writes = items.flatMap(({ data }, i) => {
      const specification = specifications[i] ?? 'otherReason';
      return isRefusal(specification) ? [] : [{ specification, data }];
    });
    const results = yield* this.#writeAll(writes);
    let next = 0;
    return specifications.map((one) => {
      const result = isRefusal(one) ? one : (results[next++] ?? 'otherReason');
      return result === 'success' ? { ok: true } : { ok: false, result };
    });
  }

  /** Invokes a method that returns data by READ with the argument, any other by WRITE. */
  *invoke({ ref, argument = NULL_DATA }: InvokeItem): Exchange<InvokeResult> {
    const [object] = yield* this.#locate([ref]);
    if (object === undefined) return { ok: false, result: 'objectUndefined' };
    const returns = returnsData(object, ref.methodId);
    const selection = returns ? { selector: METHOD_SELECTOR, parameters: decode(dataCodec, argument) } : undefined;
    this.#need(returns ? 'read' : 'write', selection);
    const specification = specificationOf(methodName(object, ref.methodId), selection);
    if (isRefusal(specification)) return { ok: false, result: actionResultOf(specification) };
    if (returns) {
      const [result = NO_RESULT] = yield* readShortNames(this.#dialogue, this.#readLimits, [specification]);
      return result.ok ? result : { ok: false, result: actionResultOf(result.result) };
    }
    const [written = 'otherReason'] = yield* this.#writeAll([{ specification, data: argument }]);
    return written === 'success' ? { ok: true } : { ok: false, result: actionResultOf(written) };
  }

  *invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]> {
    const results: InvokeResult[] = [];
    for (const item of items) results.push(yield* this.invoke(item));
    return results;
  }

  isLocated(target: ObjectAddress): boolean {
    return this.#isFresh || this.#confirmed.has(keyOf(target));
  }

  *locate(targets: readonly ObjectAddress[]): Exchange<void> {
    yield* this.#locate(targets);
  }

  /** Writes an attribute, or invokes a method without return value, by the base name that is known. */
  encodeUnconfirmed(request: UnconfirmedRequest, room: number): Uint8Array {
    const { conformance } = this.#granted();
    const { specification, data } = 'set' in request ? this.#writeOf(request.set) : this.#invocationOf(request.invoke);
    if (isRefusal(specification)) throw new AssociationError('NOT_GRANTED', `the server takes no such request: ${specification}`);
    return encodeUnconfirmedWrite({ specification, data }, { conformance, room });
  }

  #writeOf({ ref, data, selection }: SetItem): UnconfirmedTarget {
    return { specification: attributeOf(this.#objects?.get(keyOf(ref)), ref, selection), data };
  }

  #invocationOf({ ref, argument: data = NULL_DATA }: InvokeItem): UnconfirmedTarget {
    const object = this.#objects?.get(keyOf(ref));
    if (object === undefined) return { specification: 'objectUndefined', data };
    // Methods that return data are invoked by READ, which has no unconfirmed form.
    const isWritten = !returnsData(object, ref.methodId);
    return { specification: isWritten ? specificationOf(methodName(object, ref.methodId)) : 'objectUnavailable', data };
  }

  get #readLimits(): Limits {
    return limitsOf(this.#granted(), 'blockTransferGet');
  }

  /** Reads in as few round trips as the conformance allows. A server without blocks refuses a list whose response is too long. */
  *#readAll(specifications: readonly VariableAccess[]): Exchange<ReadResult[]> {
    const { conformance, room } = this.#granted();
    const fitting = Math.max(1, Math.floor((room - READ_HEADER_SIZE) / NAME_SIZE));
    const atOnce = conformance.includes('multipleReferences') ? Math.min(fitting, MOST_NAMES) : 1;
    const results: ReadResult[] = [];
    for (let from = 0; from < specifications.length; from += atOnce) {
      const some = specifications.slice(from, from + atOnce);
      const together = yield* readShortNames(this.#dialogue, this.#readLimits, some);
      const isRefused = some.length > 1 && !conformance.includes('blockTransferGet') && !together.some(({ ok }) => ok);
      if (!isRefused) results.push(...together);
      else for (const one of some) results.push(...(yield* readShortNames(this.#dialogue, this.#readLimits, [one])));
    }
    return results;
  }

  *#writeAll(writes: readonly ShortNameWrite[]): Exchange<DataAccessResult[]> {
    const limits = limitsOf(this.#granted(), 'blockTransferSet');
    if (writes.length === 0) return [];
    if (this.#granted().conformance.includes('multipleReferences')) return yield* writeShortNames(this.#dialogue, limits, writes);
    const results: DataAccessResult[] = [];
    for (const write of writes) results.push(...(yield* writeShortNames(this.#dialogue, limits, [write])));
    return results;
  }

  /** The objects with their base names, from the known object list, or else from the server; undefined: the server has no such object. */
  *#locate(targets: readonly ObjectAddress[]): Exchange<(ShortNamedObject | undefined)[]> {
    const find = () => targets.map((target) => this.#objects?.get(keyOf(target)));
    if (this.#isFresh) return find();
    const known = find().filter((object) => object !== undefined);
    const isUsable = known.length === targets.length && (yield* this.#confirm(known));
    if (!isUsable) yield* this.#learn();
    return find();
  }

  /**
   * Whether the known base names of objects are still theirs. After a change of the firmware another object may have them, and a method
   * would have another effect.
   */
  *#confirm(objects: readonly ShortNamedObject[]): Exchange<boolean> {
    const open = objects.filter((object) => !this.#confirmed.has(keyOf(object)));
    const results = yield* this.#readAll(open.map((object) => ({ kind: 'variableName', variableName: signedName(object.baseName) })));
    const isSame = results.every((result, i) => result.ok && isLogicalName(result.data, open[i]?.instance));
    if (isSame) for (const object of open) this.#confirmed.add(keyOf(object));
    return isSame;
  }

  *#learn(): Exchange<void> {
    const name = attributeName(CURRENT, OBJECT_LIST) ?? CURRENT.baseName;
    const specification = { kind: 'variableName' as const, variableName: signedName(name) };
    const [result = NO_RESULT] = yield* readShortNames(this.#dialogue, this.#readLimits, [specification]);
    if (!result.ok) throw new AssociationError('NOT_GRANTED', `the object list is refused: ${result.result}`);
    const objects = decodeObjectList(result.data);
    this.#objects = byKey(objects);
    this.#isFresh = true;
    this.#options.onLearnt?.(objects);
  }

  #need(service: Conformance, ...selections: readonly (Selection | undefined)[]): void {
    const isSelective = selections.some((selection) => selection !== undefined);
    assertGranted(this.#granted(), isSelective ? [service, 'parameterizedAccess'] : [service]);
  }
}

const byKey = (objects: readonly ShortNamedObject[]): ReadonlyMap<string, ShortNamedObject> =>
  new Map(objects.map((object) => [keyOf(object), object]));

const isLogicalName = (data: Uint8Array, instance: Obis | undefined): boolean =>
  instance !== undefined && equalInConstantTime(data, encode(logicalName, instance));

const returnsData = (object: ShortNamedObject, methodId: number): boolean =>
  Object.values(classOf(object)?.methods ?? {}).some(({ id, result }) => id === methodId && result !== undefined);
