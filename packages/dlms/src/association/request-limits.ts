import type { Conformance } from '../xdlms/conformance.ts';
import { AssociationError } from './association-error.ts';
import type { DataBlock } from './long-request.ts';

/** Size limits of a request. */
export interface Limits {
  /** Octets that fit into one request, excluding protection. */
  maxSize: number;
  /** Whether longer requests may be split into blocks. */
  blocks: boolean;
}

/** What the server of an open association has granted. */
export interface Granted {
  conformance: readonly Conformance[];
  /** Octets of the largest request, excluding protection. */
  room: number;
}

/** Limits of requests whose blocks are the granted service `blocks`. */
export const limitsOf = ({ conformance, room }: Granted, blocks: Conformance): Limits => ({
  maxSize: room,
  blocks: conformance.includes(blocks),
});

/** Refuses services locally that were not granted: some servers end the association instead of answering. */
export function assertGranted({ conformance }: Granted, services: readonly Conformance[]): void {
  const missing = services.filter((name) => !conformance.includes(name));
  if (missing.length > 0) throw new AssociationError('NOT_GRANTED', `the server does not grant ${missing.join(', ')}`);
}

export function assertBlocksAllowed(size: number, { maxSize, blocks }: Limits): void {
  if (!blocks) throw new AssociationError('BLOCK_ERROR', `the request takes ${size} octets, the server receives ${maxSize}`);
}

/** Maximum growth of the length field of a block compared with an empty one. */
const LENGTH_GROWTH = 3;

/** Data octets per block when the request with an empty block takes `header` octets. */
export function blockRoom(header: number, { maxSize }: Limits): number {
  const room = maxSize - header - LENGTH_GROWTH;
  if (room < 1) throw new AssociationError('BLOCK_ERROR', `a request of ${header} octets leaves no room for data in ${maxSize}`);
  return room;
}

/** For the size of a request besides its block. */
export const EMPTY_BLOCK: DataBlock = { lastBlock: false, blockNumber: 1, raw: new Uint8Array(0) };

export function assertBlockNumber(found: number, expected: number): void {
  if (found !== expected) throw new AssociationError('BLOCK_ERROR', `block ${found} acknowledged instead of ${expected}`);
}

export function assertResultCount<T>(results: T[], wanted: number): T[] {
  if (results.length === wanted) return results;
  throw new AssociationError('UNEXPECTED_ANSWER', `${results.length} results for ${wanted} requests`);
}
