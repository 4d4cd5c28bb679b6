import { decode, encode, prefixed, rest, sequence, uint8 } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { joinOctets } from '../security/cipher.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { dataResult, type DataAccessResult, type DataResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import { getRequest, getResponse, type GetResponse } from '../xdlms/get.ts';
import { invokeIdAndPriority, invokeOf } from '../xdlms/invoke.ts';
import { AssociationError } from './association-error.ts';
import { OPEN_INVOKE, type ClientDialogue, type Service } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';
import { serviceList } from '../xdlms/service-list.ts';

/** One encoded Data, or the data-access-result. */
export type ReadResult = DataResult;

const NORMAL = 1;
const DATA_AT = 4;
/** Limit per transfer: more than any attribute holds or a power line carries in an hour. */
const MAX_TRANSFER_OCTETS = 4 * 1024 * 1024;
/** Limit per transfer; with the smallest PDUs in the field this is half a megabyte. */
const MAX_BLOCKS = 8_192;
/** Minimum average block size: the smallest PDU has room for more, so a smaller average indicates a transfer that does not end. */
const MIN_BLOCK_OCTETS = 16;
const BLOCKS_BEFORE_AVERAGE = 64;

const normalResponse = prefixed(APDU_TAGS.getResponse, sequence({ kind: uint8, invoke: invokeIdAndPriority, result: dataResult(rest) }));
const listResults = serviceList(dataResult(rawData), 2);

/**
 * Decodes a GET response. The Data of a normal response is not validated here, because its consumer decodes it; this avoids a second pass
 * over large buffers.
 */
export function readGetResponse(apdu: Uint8Array): GetResponse {
  if (apdu[1] !== NORMAL) return decode(getResponse, apdu);
  // Fast path: tag, kind, invoke id and a data choice of 0.
  if (apdu[0] === APDU_TAGS.getResponse && apdu[DATA_AT - 1] === 0)
    return { kind: 'normal', invoke: invokeOf(apdu[2] ?? 0), result: { ok: true, data: apdu.subarray(DATA_AT) } };
  const { invoke: answered, result } = decode(normalResponse, apdu);
  return { kind: 'normal', invoke: answered, result };
}

const GET: Service<GetResponse> = { tag: APDU_TAGS.getResponse, read: readGetResponse };

const unexpectedResponse = (kind: string): AssociationError => new AssociationError('UNEXPECTED_ANSWER', `a response of the kind ${kind}`);

/** Attempts per read after out-of-step blocks. */
const MAX_BEGINNINGS = 3;

/**
 * Reads one attribute, in blocks if the server uses them. A server does not repeat a block: after a lost response it refuses the same
 * request, and the read restarts.
 */
export function* getAttribute(dialogue: ClientDialogue, attribute: AttributeDescriptor, selection?: Selection): Exchange<ReadResult> {
  for (let beginnings = 1; ; beginnings++) {
    const { retransmissions } = dialogue;
    const result = yield* getOnce(dialogue, attribute, selection);
    if (result.ok || dialogue.retransmissions === retransmissions || beginnings === MAX_BEGINNINGS || !OUT_OF_STEP.has(result.result))
      return result;
  }
}

const OUT_OF_STEP: ReadonlySet<DataAccessResult> = new Set(['dataBlockNumberInvalid', 'noLongGetInProgress', 'longGetAborted']);

function* getOnce(dialogue: ClientDialogue, attribute: AttributeDescriptor, selection: Selection | undefined): Exchange<ReadResult> {
  const response = yield* dialogue.requestService(GET, encode(getRequest, { kind: 'normal', invoke: OPEN_INVOKE, attribute, selection }));
  if (response.kind === 'normal') return response.result;
  if (response.kind === 'withDatablock') return yield* collectBlocks(dialogue, response);
  throw unexpectedResponse(response.kind);
}

/** Reads several attributes with one GET-WITH-LIST. */
export function* getWithList(dialogue: ClientDialogue, attributes: readonly AttributeDescriptor[]): Exchange<ReadResult[]> {
  const items = attributes.map((attribute) => ({ attribute, selection: undefined }));
  const response = yield* dialogue.requestService(GET, encode(getRequest, { kind: 'withList', invoke: OPEN_INVOKE, items }));
  const results = yield* listOfResults(dialogue, response, attributes.length);
  if (results.length !== attributes.length)
    throw new AssociationError('UNEXPECTED_ANSWER', `${results.length} results for ${attributes.length} attributes`);
  return results;
}

function* listOfResults(dialogue: ClientDialogue, response: GetResponse, count: number): Exchange<ReadResult[]> {
  if (response.kind === 'withList') return response.results;
  // A single result refuses the whole list.
  const whole = response.kind === 'normal' ? response.result : yield* collectBlocks(dialogue, response);
  if (!whole.ok) return Array.from({ length: count }, () => whole);
  if (response.kind === 'normal') throw unexpectedResponse(response.kind);
  return decode(listResults, whole.data);
}

type Block = Extract<GetResponse, { kind: 'withDatablock' }>;

/** Requests block after block and checks their numbers. */
function* collectBlocks(dialogue: ClientDialogue, first: Block): Exchange<ReadResult> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let block = first;
  // Some servers number blocks from 0.
  let expected = first.blockNumber === 0 ? 0 : 1;
  for (;;) {
    // An error ends the transfer even when the server announces more blocks.
    if (!block.result.ok) return block.result;
    if (block.blockNumber !== expected) throw new AssociationError('BLOCK_ERROR', `block ${block.blockNumber} instead of ${expected}`);
    if (block.result.data.length === 0 && !block.lastBlock) throw new AssociationError('BLOCK_ERROR', 'an empty block before the last');
    size += block.result.data.length;
    pieces.push(block.result.data);
    assertTransferLimits(size, pieces.length);
    if (block.lastBlock) return { ok: true, data: joinOctets(pieces) };
    block = yield* nextBlock(dialogue, expected);
    expected++;
  }
}

/** Each block costs a round trip, so an endless series of small blocks harms a slow line most. */
export function assertTransferLimits(octets: number, blocks: number): void {
  if (octets > MAX_TRANSFER_OCTETS) throw new AssociationError('TOO_LONG', `more than ${MAX_TRANSFER_OCTETS} octets`);
  if (blocks > MAX_BLOCKS) throw new AssociationError('TOO_LONG', `more than ${MAX_BLOCKS} blocks`);
  if (blocks > BLOCKS_BEFORE_AVERAGE && octets < blocks * MIN_BLOCK_OCTETS)
    throw new AssociationError('TOO_LONG', `${blocks} blocks with ${octets} octets without an end`);
}

function* nextBlock(dialogue: ClientDialogue, received: number): Exchange<Block> {
  let response = yield* dialogue.requestService(
    GET,
    encode(getRequest, { kind: 'next', invoke: OPEN_INVOKE, blockNumber: received }),
    true,
  );
  // A repetition of the previous block: it crossed our request.
  if (response.kind === 'withDatablock' && response.result.ok && response.blockNumber === received)
    response = yield* dialogue.awaitNextResponse(GET);
  if (response.kind === 'withDatablock') return response;
  throw unexpectedResponse(response.kind);
}
