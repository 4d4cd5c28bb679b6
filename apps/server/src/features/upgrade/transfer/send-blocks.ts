import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { monotonicNow, msBetween, msSince } from '#platform/clock.ts';
import type { ImageWire } from './wire.ts';

const SAVE_EVERY_MS = 2_000;

interface Sending {
  wire: ImageWire;
  image: Uint8Array;
  blockSize: number;
  /** One digit per block, as the device reports them: 1 for a received block. */
  blockMap: string;
  /** Whether the turn has to end; called after every block. */
  isOver(): boolean;
  /** Stores the progress; called every few seconds and at the end of the turn. */
  save(sent: { blockMap: string; octets: number; elapsedMs: number }): Promise<void>;
}

export const countDone = (blockMap: string): number => blockMap.replaceAll('0', '').length;

/** Sends the missing blocks until the turn is over. Returns whether all of them were sent. */
export async function sendMissingBlocks({ wire, image, blockSize, blockMap, isOver, save }: Sending): Promise<Outcome<boolean>> {
  const map = blockMap.split('');
  const begun = monotonicNow();
  let saved = begun;
  let octets = 0;
  const keep = async (): Promise<void> => {
    saved = monotonicNow();
    await save({ blockMap: map.join(''), octets, elapsedMs: msBetween(begun, saved) });
  };
  const send = async (): Promise<Outcome<boolean>> => {
    for (let block = map.indexOf('0'); block !== -1; block = map.indexOf('0', block + 1)) {
      const part = image.subarray(block * blockSize, (block + 1) * blockSize);
      const put = await wire.put(block, part);
      // A block without a response was transmitted too.
      octets += part.length;
      if (!put.ok) return put;
      map[block] = '1';
      if (msSince(saved) > SAVE_EVERY_MS) await keep();
      if (isOver()) return ok(false);
    }
    return ok(true);
  };
  const sent = await send();
  await keep();
  return sent;
}
