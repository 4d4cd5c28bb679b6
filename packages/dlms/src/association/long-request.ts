import { joinOctets } from '../security/cipher.ts';

/** More than any attribute or argument needs: a client that sends on and on must not take our memory. */
export const MAX_LONG_REQUEST = 1024 * 1024;

/** One block of a service that is being transferred. */
export interface DataBlock {
  lastBlock: boolean;
  /** 1 is the first. */
  blockNumber: number;
  raw: Uint8Array;
}

/** A request of which not all blocks have come. */
export interface LongRequest<T> {
  /** What the first block said beside its octets. */
  readonly target: T;
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
  readonly blockNumber: number;
}

/** What a block leads to. */
export type BlockStep<T> =
  /** More must come; `long` is what is kept until then. */
  | { kind: 'more'; long: LongRequest<T> }
  | { kind: 'whole'; target: T; octets: Uint8Array }
  | { kind: 'refused'; why: 'notInProgress' | 'blockNumberInvalid' | 'tooLong' };

/** Begins with the block that names its target; it must be number 1. */
export function firstBlock<T>(target: T, block: DataBlock): BlockStep<T> {
  return nextOf({ target, pieces: [], size: 0, blockNumber: 0 }, block);
}

/** Goes on with one more block. The block before once more is taken as what it is: a repetition after a time-out. */
export function followingBlock<T>(long: LongRequest<T> | undefined, block: DataBlock): BlockStep<T> {
  if (long === undefined) return { kind: 'refused', why: 'notInProgress' };
  if (block.blockNumber === long.blockNumber && !block.lastBlock) return { kind: 'more', long };
  return nextOf(long, block);
}

function nextOf<T>(long: LongRequest<T>, { lastBlock, blockNumber, raw }: DataBlock): BlockStep<T> {
  if (blockNumber !== long.blockNumber + 1) return { kind: 'refused', why: 'blockNumberInvalid' };
  const size = long.size + raw.length;
  if (size > MAX_LONG_REQUEST) return { kind: 'refused', why: 'tooLong' };
  // Copied: the caller may use its buffer again before the last block comes.
  const pieces = [...long.pieces, raw.slice()];
  if (lastBlock) return { kind: 'whole', target: long.target, octets: joinOctets(pieces) };
  return { kind: 'more', long: { target: long.target, pieces, size, blockNumber } };
}

/** Cuts octets into blocks of a size; there is always at least one. */
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
