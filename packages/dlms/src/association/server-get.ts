import { decode, encode } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { dataResult } from '../xdlms/data-access-result.ts';
import { getRequest, getResponse, type GetRequest } from '../xdlms/get.ts';
import type { Invoke } from '../xdlms/invoke.ts';
import { readAttribute, type LongAnswer, type ServiceContext } from './server-members.ts';
import { serviceList } from '../xdlms/service-list.ts';

/** Octets of a GET response besides the data of one block: header and the longest length below 64 KiB. */
const BLOCK_OVERHEAD = 9 + 3;
const listResults = serviceList(dataResult(rawData), 2);

/** Serves a GET request. Throws `DecodeError` if it is broken. */
export function serveGet(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const request = decode(getRequest, apdu);
  if (request.kind === 'next') return serveNext(context, request);
  context.longGet = undefined;
  const { invoke } = request;
  if (request.kind === 'normal') {
    const result = readAttribute(context, request.attribute, request.selection);
    const response = encode(getResponse, { kind: 'normal', invoke, result });
    return response.length <= context.room || !result.ok ? response : beginBlocks(context, invoke, result.data);
  }
  const results = request.items.map(({ attribute, selection }) => readAttribute(context, attribute, selection));
  const response = encode(getResponse, { kind: 'withList', invoke, results });
  return response.length <= context.room ? response : beginBlocks(context, invoke, encode(listResults, results));
}

function beginBlocks(context: ServiceContext, invoke: Invoke, octets: Uint8Array): Uint8Array {
  if (!context.conformance.includes('blockTransferGet'))
    return encode(getResponse, { kind: 'normal', invoke, result: { ok: false, result: 'otherReason' } });
  context.longGet = { octets, sent: 0, blockNumber: 0 };
  return sendBlock(context, context.longGet, invoke);
}

function sendBlock(context: ServiceContext, long: LongAnswer, invoke: Invoke): Uint8Array {
  const fitting = Math.max(1, context.room - BLOCK_OVERHEAD);
  const size = Math.min(fitting, context.device.blockOctets?.() ?? fitting);
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
