import { decode, encode } from '../codec/codec.ts';
import { octetString, rawData } from '../cosem/data.ts';
import { concatOctets, joinOctets } from '../security/cipher.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import type { DataAccessResult, DataResult } from '../xdlms/data-access-result.ts';
import { readRequest, readResponse, type ReadResponse } from '../xdlms/read.ts';
import type { VariableAccess } from '../xdlms/variable-access.ts';
import { writeRequest, writeResponse, type WriteResponse } from '../xdlms/write.ts';
import { AssociationError } from './association-error.ts';
import type { ClientDialogue, Service } from './client-dialogue.ts';
import { assertTransferLimits } from './client-services.ts';
import type { Exchange } from './exchange.ts';
import { blocksOf } from './long-request.ts';
import { assertBlockNumber, assertBlocksAllowed, assertResultCount, blockRoom, EMPTY_BLOCK, type Limits } from './request-limits.ts';

const READ: Service<ReadResponse> = { tag: APDU_TAGS.readResponse, read: readReadResponse };
const WRITE: Service<WriteResponse> = { tag: APDU_TAGS.writeResponse, read: (apdu) => decode(writeResponse, apdu) };

/** Octets of a request before its specifications: the tag. */
const TAG_SIZE = 1;
const READ_RESPONSE = Uint8Array.of(APDU_TAGS.readResponse);
/** A response of one result: tag, count, choice. */
const SINGLE_DATA_AT = 3;
const ONE = 1;
const DATA = 0;
const ERROR = 1;
/** A whole response in blocks that refuses one request: count, choice, result. */
const SINGLE_ERROR_SIZE = 3;

/** The Data of a single result is not validated here: its consumer decodes it, as with GET. */
function readReadResponse(apdu: Uint8Array): ReadResponse {
  const isSingle = apdu[0] === APDU_TAGS.readResponse && apdu[1] === ONE && apdu[2] === DATA;
  return isSingle ? { results: [{ kind: 'data', data: apdu.subarray(SINGLE_DATA_AT) }] } : decode(readResponse, apdu);
}

const unexpectedResult = (kind: string): AssociationError => new AssociationError('UNEXPECTED_ANSWER', `a result of the kind ${kind}`);

/**
 * Reads short names with one READ, in blocks where request or response is longer than a PDU; results keep the order of `specifications`.
 * READ has no invoke id, so that it is not retransmitted after a timeout.
 * @spec GB 9.3 (Read service)
 */
export function* readShortNames(dialogue: ClientDialogue, limits: Limits, specifications: VariableAccess[]): Exchange<DataResult[]> {
  const whole = encode(readRequest, { specifications });
  if (whole.length > limits.maxSize) assertBlocksAllowed(whole.length, limits);
  const response =
    whole.length <= limits.maxSize ? yield* dialogue.requestUnnumbered(READ, whole) : yield* sendRead(dialogue, limits, whole);
  const [first] = response.results;
  if (first?.kind === 'dataBlock') return resultsInBlocks(yield* collectBlocks(dialogue, response), specifications.length);
  return dataResultsOf(response, specifications.length);
}

function dataResultsOf({ results }: ReadResponse, wanted: number): DataResult[] {
  const found = results.map((result): DataResult => {
    if (result.kind === 'data') return { ok: true, data: result.data };
    if (result.kind === 'dataAccessError') return { ok: false, result: result.result };
    throw unexpectedResult(result.kind);
  });
  // A single refusal refuses the whole list.
  const [only] = found;
  if (found.length === 1 && only?.ok === false) return Array.from({ length: wanted }, () => only);
  return assertResultCount(found, wanted);
}

/** Blocks carry the results with their count. Some servers send the Data of a single result alone. */
function resultsInBlocks(octets: Uint8Array, wanted: number): DataResult[] {
  if (wanted === 1 && octets[0] === ONE && octets[1] === DATA && octets.length > 2) return [{ ok: true, data: octets.subarray(2) }];
  const isRefusal = octets.length === SINGLE_ERROR_SIZE && octets[0] === ONE && octets[1] === ERROR;
  if (wanted === 1 && !isRefusal) return [{ ok: true, data: decode(rawData, octets) }];
  return dataResultsOf(decode(readResponse, concatOctets(READ_RESPONSE, octets)), wanted);
}

/** Sends a long request in blocks; returns the response to the last one. */
function* sendRead(dialogue: ClientDialogue, limits: Limits, whole: Uint8Array): Exchange<ReadResponse> {
  const header = encode(readRequest, { specifications: [{ kind: 'readDataBlockAccess', ...EMPTY_BLOCK }] }).length;
  for (const block of blocksOf(whole.subarray(TAG_SIZE), blockRoom(header, limits))) {
    const request = encode(readRequest, { specifications: [{ kind: 'readDataBlockAccess', ...block }] });
    const response = yield* dialogue.requestUnnumbered(READ, request);
    const [answer] = response.results;
    if (block.lastBlock || answer?.kind === 'dataAccessError') return response;
    if (answer?.kind !== 'blockNumber') throw unexpectedResult(answer?.kind ?? 'none');
    assertBlockNumber(answer.blockNumber, block.blockNumber);
  }
  throw unexpectedResult('none');
}

/** Requests block after block and checks their numbers. A block number acknowledges the blocks up to it. */
function* collectBlocks(dialogue: ClientDialogue, first: ReadResponse): Exchange<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let response = first;
  for (let expected = 1; ; expected++) {
    const [block] = response.results;
    if (block?.kind === 'dataAccessError') return encode(readResponse, response).subarray(TAG_SIZE);
    if (block?.kind !== 'dataBlock' || response.results.length > 1) throw unexpectedResult(block?.kind ?? 'none');
    const { blockNumber, raw, lastBlock } = block;
    if (blockNumber !== expected) throw new AssociationError('BLOCK_ERROR', `block ${blockNumber} instead of ${expected}`);
    if (raw.length === 0 && !lastBlock) throw new AssociationError('BLOCK_ERROR', 'an empty block before the last');
    size += raw.length;
    pieces.push(raw);
    assertTransferLimits(size, pieces.length);
    if (lastBlock) return joinOctets(pieces);
    const request = encode(readRequest, { specifications: [{ kind: 'blockNumberAccess', blockNumber }] });
    response = yield* dialogue.requestUnnumbered(READ, request);
  }
}

/** An address and its value, as one encoded Data. */
export interface ShortNameWrite {
  specification: VariableAccess;
  data: Uint8Array;
}

/**
 * Writes short names with one WRITE, in blocks when the request is longer than a PDU; results keep the order of `writes`.
 * @spec GB 9.3 (Write service)
 */
export function* writeShortNames(
  dialogue: ClientDialogue,
  limits: Limits,
  writes: readonly ShortNameWrite[],
): Exchange<DataAccessResult[]> {
  const specifications = writes.map(({ specification }) => specification);
  const whole = encode(writeRequest, { specifications, data: writes.map(({ data }) => data) });
  if (whole.length > limits.maxSize) assertBlocksAllowed(whole.length, limits);
  const { results } =
    whole.length <= limits.maxSize ? yield* dialogue.requestUnnumbered(WRITE, whole) : yield* sendWrite(dialogue, limits, whole);
  const found = results.map((result): DataAccessResult => {
    if (result.kind === 'success') return 'success';
    if (result.kind === 'dataAccessError') return result.result;
    throw unexpectedResult(result.kind);
  });
  const [only] = found;
  if (found.length === 1 && only !== undefined && only !== 'success') return writes.map(() => only);
  return assertResultCount(found, writes.length);
}

const writeBlock = ({ raw, ...block }: { lastBlock: boolean; blockNumber: number; raw: Uint8Array }): Uint8Array =>
  encode(writeRequest, { specifications: [{ kind: 'writeDataBlockAccess', ...block }], data: [encode(octetString, raw)] });

function* sendWrite(dialogue: ClientDialogue, limits: Limits, whole: Uint8Array): Exchange<WriteResponse> {
  const room = blockRoom(writeBlock(EMPTY_BLOCK).length, limits);
  for (const block of blocksOf(whole.subarray(TAG_SIZE), room)) {
    const response = yield* dialogue.requestUnnumbered(WRITE, writeBlock(block));
    const [answer] = response.results;
    if (block.lastBlock || answer?.kind === 'dataAccessError') return response;
    // A success cannot come before the last block.
    if (answer?.kind !== 'blockNumber') throw unexpectedResult(answer?.kind ?? 'none');
    assertBlockNumber(answer.blockNumber, block.blockNumber);
  }
  throw unexpectedResult('none');
}
