import type { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { MeterError } from './meter-error.ts';
import type { MeterObject } from './meter-object.ts';

export interface UpgradeOptions {
  /** Identification of the image, as its maker tells. */
  identification: Uint8Array;
  /** Called after each block, with octets. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
  /** Whether the image is activated at once; defaults to true. */
  activate?: boolean | undefined;
  /** Milliseconds between two looks at a verification or activation; defaults to 2000. */
  pollMs?: number | undefined;
  /** Milliseconds for each of verification and activation; defaults to ten minutes. */
  timeoutMs?: number | undefined;
}

type ImageObject = MeterObject<typeof imageTransfer>;

const POLL_MS = 2_000;
const TIMEOUT_MS = 600_000;
/** Rounds in which missing blocks are sent again. */
const MAX_ROUNDS = 5;

/**
 * Transfers an image by the steps of the Blue Book: enable, initiate, blocks, completeness, verification, activation. Blocks that the meter
 * misses are sent again. Fails with `MeterError`.
 * @spec BB 4 (Image transfer, class 18)
 */
export async function transferImage(object: ImageObject, image: Uint8Array, options: UpgradeOptions): Promise<void> {
  const { blockSize, transferEnabled } = await object.getAll('blockSize', 'transferEnabled');
  if (!transferEnabled) await object.set('transferEnabled', true);
  if (blockSize === 0) throw new MeterError('BAD_ANSWER', 'the meter has image blocks of 0 octets');
  await object.invoke('initiate', { identification: options.identification, size: image.length });
  await sendBlocks(object, { image, blockSize, onProgress: options.onProgress });
  await untilDone(object, 'verify', options);
  if (options.activate !== false) await untilDone(object, 'activate', options);
}

async function sendBlocks(
  object: ImageObject,
  { image, blockSize, onProgress }: { image: Uint8Array; blockSize: number; onProgress: UpgradeOptions['onProgress'] },
): Promise<void> {
  const count = Math.ceil(image.length / blockSize);
  let first = 0;
  for (let round = 0; round < MAX_ROUNDS && first < count; round++) {
    for (let blockNumber = first; blockNumber < count; blockNumber++) {
      const to = Math.min((blockNumber + 1) * blockSize, image.length);
      await object.invoke('blockTransfer', { blockNumber, block: image.subarray(blockNumber * blockSize, to) });
      onProgress?.(to, image.length);
    }
    first = await object.get('firstNotTransferredBlockNumber');
  }
  if (first < count) throw new MeterError('BAD_ANSWER', `the meter still misses block ${first} of ${count}`);
}

const DONE = {
  verify: { success: ['verificationSuccessful'], failure: 'verificationFailed' },
  activate: { success: ['activationSuccessful', 'notInitiated'], failure: 'activationFailed' },
} as const;

/** Invokes a method that may take longer than a response: the meter answers with a temporary failure until its status tells the result. */
async function untilDone(
  object: ImageObject,
  step: keyof typeof DONE,
  { pollMs = POLL_MS, timeoutMs = TIMEOUT_MS }: UpgradeOptions,
): Promise<void> {
  try {
    return await object.invoke(step);
  } catch (error) {
    if (!(error instanceof MeterError) || error.result !== 'temporaryFailure') throw error;
  }
  const { success, failure } = DONE[step];
  const end = performance.now() + timeoutMs;
  for (;;) {
    const status = await object.get('transferStatus');
    if (success.some((one) => one === status)) return;
    if (status === failure) throw new MeterError('DENIED', `image transfer: ${failure}`, { result: 'otherReason' });
    if (performance.now() > end) throw new MeterError('NO_ANSWER', `image transfer: ${status} after ${timeoutMs} ms`);
    await delay(pollMs);
  }
}
