import type { ServerObject } from '@hes/dlms/association/server-options.ts';
import type { Tally } from './context.ts';
import { isBlock } from './corrupt.ts';

const PROFILE = 7;
const BUFFER = 2;
/** Offset of the block number in a GET response with a block. */
const BLOCK_NUMBER = 4;
const FIRST_BLOCK = 1;
const numberOf = (block: Uint8Array): number => new DataView(block.buffer, block.byteOffset, block.length).getUint32(BLOCK_NUMBER);

/** Counts the traffic of one meter: its blocks, and its profile buffers sent in blocks. */
export interface Counting {
  /** Wraps the object to count reads of a profile buffer. */
  read(object: ServerObject): ServerObject;
  /** Counts a sent APDU, given in the clear. */
  sent(apdu: Uint8Array): void;
}

export function createCounting(tally: Tally, sn: string): Counting {
  let buffer: string | undefined;
  let octets = 0;
  const countBuffer = (instance: string, apdu: Uint8Array): void => {
    const counts = tally.buffers.get(instance) ?? { reads: 0, inBlocks: 0 };
    counts.reads++;
    if (isBlock(apdu)) counts.inBlocks++;
    tally.buffers.set(instance, counts);
  };
  return {
    read(object) {
      if (object.classId !== PROFILE) return object;
      return {
        ...object,
        read(attributeId, selection, association) {
          if (attributeId === BUFFER) buffer = object.instance;
          return object.read(attributeId, selection, association);
        },
      };
    },
    sent(apdu) {
      if (buffer !== undefined) countBuffer(buffer, apdu);
      buffer = undefined;
      if (!isBlock(apdu)) return;
      tally.blocks++;
      octets = (numberOf(apdu) === FIRST_BLOCK ? 0 : octets) + apdu.length;
      tally.longest.set(sn, Math.max(tally.longest.get(sn) ?? 0, octets));
    },
  };
}
