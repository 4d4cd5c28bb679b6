import { ImageStore } from '@hes/dlms/server/image-transfer.ts';
import { streamOf, unitAt } from '#world/random.ts';
import { CHANNELS } from './channel.ts';
import type { FleetContext } from './context.ts';
import { readImage } from './firmware-image.ts';
import { BLOCK_OCTETS, MAX_IMAGE_OCTETS, type DeviceFirmware } from './firmware.ts';
import type { Meter } from './meter.ts';

interface Options {
  context: FleetContext;
  dcuSn: string;
  /** Meters that receive the broadcast at this moment. */
  broadcastReceivers(): Iterable<Meter>;
}

/** Octets a second of an unconfirmed broadcast over the power line; unlimited on a fast channel. */
const PACE = { realistic: CHANNELS.plc.bytesPerSecond, fast: Number.POSITIVE_INFINITY } as const;

/** An image that a DCU holds and broadcasts to its meters, without retransmission of lost blocks. */
export function createImageBroadcast({ context, dcuSn, broadcastReceivers }: Options): DeviceFirmware {
  const stream = streamOf(context.world.plan.seed, `broadcast/${dcuSn}`);
  let draws = 0;
  const isLost = (): boolean => context.channel === 'realistic' && unitAt(stream, draws++) < CHANNELS.plc.loss;

  function send(image: Uint8Array, identification: Uint8Array): void {
    const { blockSize } = broadcast.store;
    for (const meter of broadcastReceivers())
      for (let block = 0; block * blockSize < image.length; block++)
        if (!isLost())
          meter.receiveBlock(
            { identification, size: image.length, blockSize },
            block,
            image.subarray(block * blockSize, (block + 1) * blockSize),
          );
  }

  const broadcast: DeviceFirmware = {
    version: '',
    isBroken: false,
    flashedSha256: null,
    octetsReceived: 0,
    unverifiedOrders: 0,
    activatedAtMs: [],
    losesBlock: () => context.faults.strike(dcuSn, 'lost_block') !== undefined,
    schedule: { times: [] },
    awayUntil: 0,
    store: new ImageStore({
      blockSize: BLOCK_OCTETS,
      maxSize: MAX_IMAGE_OCTETS,
      verify: (image) => readImage(image) !== undefined,
      activate(image, identification) {
        const copy = Uint8Array.from(image);
        setTimeout(
          () => {
            send(copy, identification);
            broadcast.store.activated(true);
          },
          (image.length * 1000) / PACE[context.channel],
        ).unref();
        return 'working';
      },
    }),
  };
  context.firmware.keep('meters', dcuSn, broadcast);
  return broadcast;
}
