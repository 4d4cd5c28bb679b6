import { joinOctets } from '../security/cipher.ts';

/** Limit per request, more than any attribute or argument needs: an endless transfer must not exhaust our memory. */
export const MAX_LONG_REQUEST = 1024 * 1024;

/** One block of a service in transfer. */
export interface DataBlock {
  lastBlock: boolean;
  /** Numbered from 1. */
  blockNumber: number;
  raw: Uint8Array;
}

/** A request whose blocks are incomplete. */
export interface LongRequest<T> {
  /** Content of the first block besides its data. */
  readonly target: T;
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
  readonly blockNumber: number;
}

/** Result of a block. */
export type BlockStep<T> =
  /** More blocks follow; `long` is the state until then. */
  | { kind: 'more'; long: LongRequest<T> }
  | { kind: 'whole'; target: T; octets: Uint8Array }
  | { kind: 'refused'; why: 'notInProgress' | 'blockNumberInvalid' | 'tooLong' };

/** Takes the first block, which names the target; its number must be 1. */
export function firstBlock<T>(target: T, block: DataBlock): BlockStep<T> {
  return nextOf({ target, pieces: [], size: 0, blockNumber: 0 }, block);
}

/** Takes the next block. A repetition of the previous block is accepted: the peer retransmitted it after a timeout. */
export function followingBlock<T>(long: LongRequest<T> | undefined, block: DataBlock): BlockStep<T> {
  if (long === undefined) return { kind: 'refused', why: 'notInProgress' };
  if (block.blockNumber === long.blockNumber && !block.lastBlock) return { kind: 'more', long };
  return nextOf(long, block);
}

function nextOf<T>(long: LongRequest<T>, { lastBlock, blockNumber, raw }: DataBlock): BlockStep<T> {
  if (blockNumber !== long.blockNumber + 1) return { kind: 'refused', why: 'blockNumberInvalid' };
  const size = long.size + raw.length;
  if (size > MAX_LONG_REQUEST) return { kind: 'refused', why: 'tooLong' };
  // Copied, because the caller may reuse its buffer before the last block arrives.
  const pieces = [...long.pieces, raw.slice()];
  if (lastBlock) return { kind: 'whole', target: long.target, octets: joinOctets(pieces) };
  return { kind: 'more', long: { target: long.target, pieces, size, blockNumber } };
}

/** Splits octets into blocks of a size; yields at least one. */
export function* blocksOf(octets: Uint8Array, size: number, firstSize = size): Generator<DataBlock> {
  let at = 0;
  for (let blockNumber = 1; ; blockNumber++) {
    const raw = octets.subarray(at, at + (blockNumber === 1 ? firstSize : size));
    at += raw.length;
    const lastBlock = at >= octets.length;
    yield { lastBlock, blockNumber, raw };
    if (lastBlock) return;
  }
}
