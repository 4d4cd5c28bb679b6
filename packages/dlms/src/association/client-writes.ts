import { decode, encode, optional, optionalTail, sequence } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { joinOctets } from '../security/cipher.ts';
import { actionRequest, actionResponse, type ActionRequest, type ActionResponse } from '../xdlms/action.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { actionResult, dataResult, type ActionResult, type DataAccessResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor, MethodDescriptor } from '../xdlms/descriptors.ts';
import { setRequest, setResponse, type SetRequest, type SetResponse } from '../xdlms/set.ts';
import { AssociationError } from './association-error.ts';
import { OPEN_INVOKE, type ClientDialogue, type Service } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';
import { blocksOf, type DataBlock } from './long-request.ts';
import { assertBlockNumber, assertBlocksAllowed, assertResultCount, blockRoom, EMPTY_BLOCK, type Limits } from './request-limits.ts';
import { serviceList } from '../xdlms/service-list.ts';

export type SetResult = { ok: true } | { ok: false; result: DataAccessResult };
export type InvokeResult = { ok: true; data?: Uint8Array | undefined } | { ok: false; result: ActionResult };

/** One attribute and its new value, as one encoded Data. */
export interface SetItem {
  ref: AttributeDescriptor;
  data: Uint8Array;
  selection?: Selection | undefined;
}

/** One method and its argument, as one encoded Data. */
export interface InvokeItem {
  ref: MethodDescriptor;
  argument?: Uint8Array | undefined;
}

/** The response of a meter to one action. */
type ActionAnswer = {
  result: ActionResult;
  returned?: { ok: true; data: Uint8Array } | { ok: false; result: DataAccessResult } | undefined;
};

const SET: Service<SetResponse> = { tag: APDU_TAGS.setResponse, read: (apdu) => decode(setResponse, apdu) };
const ACTION: Service<ActionResponse> = { tag: APDU_TAGS.actionResponse, read: (apdu) => decode(actionResponse, apdu) };

/** Limit of returned octets; more than any method returns. */
const MAX_RETURNED = 16 * 1024 * 1024;
const NOTHING = new Uint8Array(0);
const NULL_DATA = Uint8Array.of(0);
const SUCCESS = 0;

const returned = dataResult(rawData);
/** @spec GB 9.5 (Action-Response-With-Optional-Data) */
const single = sequence({ result: actionResult, returned: optionalTail(returned) });
const several = serviceList(sequence({ result: actionResult, returned: optional(returned) }), 2);
const valueList = serviceList(rawData);

const unexpectedResponse = (kind: string): AssociationError => new AssociationError('UNEXPECTED_ANSWER', `a response of the kind ${kind}`);
const setResultOf = (result: DataAccessResult): SetResult => (result === 'success' ? { ok: true } : { ok: false, result });

function invokeResultOf({ result, returned: data }: ActionAnswer): InvokeResult {
  if (result !== 'success') return { ok: false, result };
  return { ok: true, data: data?.ok === true ? data.data : undefined };
}

/** Writes one attribute, in blocks when it does not fit one request. */
export function* setAttribute(dialogue: ClientDialogue, limits: Limits, { ref, data, selection }: SetItem): Exchange<SetResult> {
  const target = { attribute: ref, selection };
  const whole = encode(setRequest, { kind: 'normal', invoke: OPEN_INVOKE, ...target, data });
  if (whole.length <= limits.maxSize) {
    const response = yield* dialogue.requestService(SET, whole);
    if (response.kind === 'normal') return setResultOf(response.result);
    throw unexpectedResponse(response.kind);
  }
  assertBlocksAllowed(whole.length, limits);
  const last = yield* setBlocks(dialogue, limits, data, (block) => ({
    kind: 'firstDatablock',
    invoke: OPEN_INVOKE,
    ...target,
    ...block,
  }));
  if (last.kind === 'lastDatablock' || last.kind === 'normal') return setResultOf(last.result);
  throw unexpectedResponse(last.kind);
}

/** Writes several attributes with one SET-WITH-LIST. */
export function* setWithList(dialogue: ClientDialogue, limits: Limits, writes: readonly SetItem[]): Exchange<SetResult[]> {
  const items = writes.map(({ ref, selection }) => ({ attribute: ref, selection }));
  const values = writes.map(({ data }) => data);
  const whole = encode(setRequest, { kind: 'withList', invoke: OPEN_INVOKE, items, data: values });
  if (whole.length > limits.maxSize) assertBlocksAllowed(whole.length, limits);
  const response: SetResponse =
    whole.length <= limits.maxSize
      ? yield* dialogue.requestService(SET, whole)
      : yield* setBlocks(dialogue, limits, encode(valueList, values), (block) => ({
          kind: 'withListAndFirstDatablock',
          invoke: OPEN_INVOKE,
          items,
          ...block,
        }));
  if (response.kind === 'withList' || response.kind === 'lastDatablockWithList')
    return assertResultCount(response.results.map(setResultOf), writes.length);
  // A single result refuses the whole list.
  if ((response.kind === 'lastDatablock' || response.kind === 'normal') && response.result !== 'success')
    return writes.map(() => setResultOf(response.result));
  throw unexpectedResponse(response.kind);
}

/** Sends block after block; returns the response to the last one, or the refusal that ended the transfer. */
function* setBlocks(
  dialogue: ClientDialogue,
  limits: Limits,
  octets: Uint8Array,
  first: (block: DataBlock) => SetRequest,
): Exchange<SetResponse> {
  const firstSize = blockRoom(encode(setRequest, first(EMPTY_BLOCK)).length, limits);
  const size = blockRoom(encode(setRequest, { kind: 'datablock', invoke: OPEN_INVOKE, ...EMPTY_BLOCK }).length, limits);
  let response: SetResponse | undefined;
  for (const block of blocksOf(octets, size, firstSize)) {
    const isFirst = block.blockNumber === 1;
    response = yield* dialogue.requestService(
      SET,
      encode(setRequest, isFirst ? first(block) : { kind: 'datablock', invoke: OPEN_INVOKE, ...block }),
      !isFirst,
    );
    if (block.lastBlock) return response;
    // Any response but the acknowledgement ends the transfer; a success cannot come before the last block.
    if (response.kind !== 'datablock') return refusalOf(response);
    assertBlockNumber(response.blockNumber, block.blockNumber);
  }
  throw unexpectedResponse(response?.kind ?? 'none');
}

function refusalOf(response: SetResponse): SetResponse {
  const early = response.kind === 'withList' || response.kind === 'lastDatablockWithList' || response.kind === 'datablock';
  if (early || response.result === 'success') throw unexpectedResponse(response.kind);
  return response;
}

/** Invokes one method; argument and return value are sent in blocks when necessary. */
export function* invokeMethod(dialogue: ClientDialogue, limits: Limits, { ref, argument }: InvokeItem): Exchange<InvokeResult> {
  const whole = encode(actionRequest, { kind: 'normal', invoke: OPEN_INVOKE, method: ref, argument });
  if (whole.length > limits.maxSize) assertBlocksAllowed(whole.length, limits);
  const response: ActionResponse =
    whole.length <= limits.maxSize
      ? yield* dialogue.requestService(ACTION, whole)
      : yield* actionBlocks(dialogue, limits, argument ?? NOTHING, (block) => ({
          kind: 'firstPblock',
          invoke: OPEN_INVOKE,
          method: ref,
          ...block,
        }));
  if (response.kind === 'normal') return invokeResultOf(response);
  if (response.kind === 'pblock') return invokeResultOf(returnedInBlocks(yield* collectReturned(dialogue, response)));
  throw unexpectedResponse(response.kind);
}

/**
 * Blocks carry the returned Data only, which implies success. Some servers prepend result and choice; Data of more than one octet never
 * begins with 0, which tells the two apart.
 */
function returnedInBlocks(octets: Uint8Array): ActionAnswer {
  if (octets[0] === SUCCESS && octets.length > 1) return decode(single, octets);
  return { result: 'success', returned: { ok: true, data: octets } };
}

/** Invokes several methods with one ACTION-WITH-LIST. */
export function* invokeWithList(dialogue: ClientDialogue, limits: Limits, calls: readonly InvokeItem[]): Exchange<InvokeResult[]> {
  const methods = calls.map(({ ref }) => ref);
  const values = calls.map(({ argument }) => argument ?? NULL_DATA);
  const whole = encode(actionRequest, { kind: 'withList', invoke: OPEN_INVOKE, methods, arguments: values });
  if (whole.length > limits.maxSize) assertBlocksAllowed(whole.length, limits);
  const response: ActionResponse =
    whole.length <= limits.maxSize
      ? yield* dialogue.requestService(ACTION, whole)
      : yield* actionBlocks(dialogue, limits, encode(valueList, values), (block) => ({
          kind: 'withListAndFirstPblock',
          invoke: OPEN_INVOKE,
          methods,
          ...block,
        }));
  if (response.kind === 'withList') return assertResultCount(response.results.map(invokeResultOf), calls.length);
  if (response.kind === 'normal' && response.result !== 'success') return calls.map(() => invokeResultOf(response));
  if (response.kind === 'pblock')
    return assertResultCount(decode(several, yield* collectReturned(dialogue, response)).map(invokeResultOf), calls.length);
  throw unexpectedResponse(response.kind);
}

function* actionBlocks(
  dialogue: ClientDialogue,
  limits: Limits,
  octets: Uint8Array,
  first: (block: DataBlock) => ActionRequest,
): Exchange<ActionResponse> {
  const firstSize = blockRoom(encode(actionRequest, first(EMPTY_BLOCK)).length, limits);
  const size = blockRoom(encode(actionRequest, { kind: 'pblock', invoke: OPEN_INVOKE, ...EMPTY_BLOCK }).length, limits);
  let response: ActionResponse | undefined;
  for (const block of blocksOf(octets, size, firstSize)) {
    const isFirst = block.blockNumber === 1;
    response = yield* dialogue.requestService(
      ACTION,
      encode(actionRequest, isFirst ? first(block) : { kind: 'pblock', invoke: OPEN_INVOKE, ...block }),
      !isFirst,
    );
    if (block.lastBlock) return response;
    if (response.kind === 'normal' && response.result !== 'success') return response;
    if (response.kind !== 'nextPblock') throw unexpectedResponse(response.kind);
    assertBlockNumber(response.blockNumber, block.blockNumber);
  }
  throw unexpectedResponse(response?.kind ?? 'none');
}

type Returned = Extract<ActionResponse, { kind: 'pblock' }>;

/** Requests block after block of a return value. */
function* collectReturned(dialogue: ClientDialogue, first: Returned): Exchange<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let block = first;
  for (let expected = 1; ; expected++) {
    if (block.blockNumber !== expected) throw new AssociationError('BLOCK_ERROR', `block ${block.blockNumber} instead of ${expected}`);
    if (block.raw.length === 0 && !block.lastBlock) throw new AssociationError('BLOCK_ERROR', 'an empty block before the last');
    size += block.raw.length;
    if (size > MAX_RETURNED) throw new AssociationError('BLOCK_ERROR', `more than ${MAX_RETURNED} octets`);
    pieces.push(block.raw);
    if (block.lastBlock) return joinOctets(pieces);
    const response = yield* dialogue.requestService(
      ACTION,
      encode(actionRequest, { kind: 'nextPblock', invoke: OPEN_INVOKE, blockNumber: expected }),
      true,
    );
    if (response.kind !== 'pblock') throw unexpectedResponse(response.kind);
    block = response;
  }
}
