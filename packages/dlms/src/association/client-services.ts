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

/** One encoded Data, or why there is none. */
export type ReadResult = DataResult;

const NORMAL = 1;
const DATA_AT = 4;
/** More than any meter keeps in one attribute, and than a power line carries in an hour. */
const MAX_TRANSFER_OCTETS = 4 * 1024 * 1024;
/** With the smallest PDUs in the field this is half a megabyte. */
const MAX_BLOCKS = 8_192;
/** The smallest PDU leaves room for more than this in every block; a peer that sends less on average does not want to come to an end. */
const MIN_BLOCK_OCTETS = 16;
const BLOCKS_BEFORE_AVERAGE = 64;

const normalResponse = prefixed(APDU_TAGS.getResponse, sequence({ kind: uint8, invoke: invokeIdAndPriority, result: dataResult(rest) }));
const listResults = serviceList(dataResult(rawData), 2);

/**
 * A GET response. The Data of a normal one is taken as it stands, up to the end: whoever decodes it checks it, and
 * large buffers are not walked through twice.
 */
export function readGetResponse(apdu: Uint8Array): GetResponse {
  if (apdu[1] !== NORMAL) return decode(getResponse, apdu);
  // What comes a million times a day: tag, kind, invoke id, and that there is data.
  if (apdu[0] === APDU_TAGS.getResponse && apdu[DATA_AT - 1] === 0)
    return { kind: 'normal', invoke: invokeOf(apdu[2] ?? 0), result: { ok: true, data: apdu.subarray(DATA_AT) } };
  const { invoke: answered, result } = decode(normalResponse, apdu);
  return { kind: 'normal', invoke: answered, result };
}

const GET: Service<GetResponse> = { tag: APDU_TAGS.getResponse, read: readGetResponse };

const unexpectedResponse = (kind: string): AssociationError => new AssociationError('UNEXPECTED_ANSWER', `an answer of the kind ${kind}`);

/** How often a reading is begun before blocks that do not follow each other are a refusal. */
const MAX_BEGINNINGS = 3;

/**
 * Reads one attribute, in blocks if the server answers so. A server does not give a block twice: when the answer to a
 * request for one was lost, it refuses the same request, and the reading begins anew.
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

/** Reads several attributes with one request. */
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
  // One refusal for all of them.
  const whole = response.kind === 'normal' ? response.result : yield* collectBlocks(dialogue, response);
  if (!whole.ok) return Array.from({ length: count }, () => whole);
  if (response.kind === 'normal') throw unexpectedResponse(response.kind);
  return decode(listResults, whole.data);
}

type Block = Extract<GetResponse, { kind: 'withDatablock' }>;

/** Asks for block after block; each is known by its number. */
function* collectBlocks(dialogue: ClientDialogue, first: Block): Exchange<ReadResult> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let block = first;
  // Some servers count from 0.
  let expected = first.blockNumber === 0 ? 0 : 1;
  for (;;) {
    // An error ends the transfer, whatever the server says about more blocks.
    if (!block.result.ok) return block.result;
    if (block.blockNumber !== expected) throw new AssociationError('BLOCK_ERROR', `block ${block.blockNumber} instead of ${expected}`);
    if (block.result.data.length === 0 && !block.lastBlock)
      throw new AssociationError('BLOCK_ERROR', 'an empty block that is not the last');
    size += block.result.data.length;
    pieces.push(block.result.data);
    assertTransferLimits(size, pieces.length);
    if (block.lastBlock) return { ok: true, data: joinOctets(pieces) };
    block = yield* nextBlock(dialogue, expected);
    expected++;
  }
}

/** Every block is a round trip, so small blocks without end cost a slow line more than large ones. */
function assertTransferLimits(octets: number, blocks: number): void {
  if (octets > MAX_TRANSFER_OCTETS) throw new AssociationError('TOO_LONG', `more than ${MAX_TRANSFER_OCTETS} octets`);
  if (blocks > MAX_BLOCKS) throw new AssociationError('TOO_LONG', `more than ${MAX_BLOCKS} blocks`);
  if (blocks > BLOCKS_BEFORE_AVERAGE && octets < blocks * MIN_BLOCK_OCTETS)
    throw new AssociationError('TOO_LONG', `${blocks} blocks with ${octets} octets and no end`);
}

function* nextBlock(dialogue: ClientDialogue, received: number): Exchange<Block> {
  let response = yield* dialogue.requestService(
    GET,
    encode(getRequest, { kind: 'next', invoke: OPEN_INVOKE, blockNumber: received }),
    true,
  );
  // The block before once more: it crossed our request.
  if (response.kind === 'withDatablock' && response.result.ok && response.blockNumber === received)
    response = yield* dialogue.awaitNextResponse(GET);
  if (response.kind === 'withDatablock') return response;
  throw unexpectedResponse(response.kind);
}
