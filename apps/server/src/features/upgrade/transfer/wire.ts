import type { DcuPart } from '@hes/contract/asset/dcu-part.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { UpgradeTarget } from '@hes/contract/states/upgrade.ts';
import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import type { AttributeValue } from '@hes/dlms/cosem/cosem-class.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { readText } from '#field/device-name.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';

export type ImageStatus = AttributeValue<typeof imageTransfer, 'transferStatus'>;

/** Targets with an image transfer object; `meters` is the object of a DCU for broadcasts to its meters. */
export type ImageTarget = UpgradeTarget | 'meters';

/** Logical names of the version of each target. The DCU hosts those of RT and STA. */
const VERSIONS: Record<ImageTarget, readonly Obis[]> = {
  dcu: [DCU_OBJECTS.FIRMWARE, WELL_KNOWN.FWID.instance],
  rt: [DCU_OBJECTS.FIRMWARE_ROUTE_MODULE],
  sta: [DCU_OBJECTS.FIRMWARE_STATIONS],
  meter: [WELL_KNOWN.FWID.instance],
  meters: [],
};

/** Part of a DCU that receives the image of a target. */
export const IMAGE_PARTS = {
  dcu: 'firmware',
  rt: 'rt_firmware',
  sta: 'sta_firmware',
  meters: 'image_broadcast',
} as const satisfies Record<Exclude<ImageTarget, 'meter'>, DcuPart>;

/** Logical name of the image transfer object of a target: that of the meter, or one of the DCU as its profile has it. */
export async function findImage(tools: OperationTools, work: DeviceWork, target: ImageTarget): Promise<Outcome<Obis>> {
  if (target === 'meter') return ok(WELL_KNOWN.IMAGE.instance);
  const part = IMAGE_PARTS[target];
  const found = (await partsOfDcu(tools, work))[part];
  return found === undefined ? lacks(part) : ok(found.image);
}

/** Attributes and methods of the image transfer object of one target. */
export class ImageWire {
  readonly #link: DeviceLink;
  readonly #target: ImageTarget;
  readonly #image: CosemObject<typeof imageTransfer>;

  /** `image` is the logical name of the image transfer object. */
  constructor(link: DeviceLink, target: ImageTarget, image: Obis) {
    this.#link = link;
    this.#target = target;
    this.#image = { cosemClass: imageTransfer, instance: image };
  }

  /** The active firmware version. */
  async version(): Promise<Outcome<string>> {
    let last: Outcome<string> = failed('OBJECT_UNDEFINED');
    for (const instance of VERSIONS[this.#target]) {
      const read = await readText(this.#link, { cosemClass: data, instance });
      if (read.ok) return ok(read.value.trim());
      last = read;
      if (read.reason !== 'OBJECT_UNDEFINED' && read.reason !== 'ACCESS_DENIED') return read;
    }
    return last;
  }

  status = () => this.#link.read(this.#image, 'transferStatus');
  blockSize = () => this.#link.read(this.#image, 'blockSize');
  firstMissing = () => this.#link.read(this.#image, 'firstNotTransferredBlockNumber');
  toActivate = () => this.#link.read(this.#image, 'toActivateInfo');
  isEnabled = () => this.#link.read(this.#image, 'transferEnabled');
  enable = () => this.#link.write(this.#image, 'transferEnabled', true);
  /** Many devices support one block size only and deny this. */
  setBlockSize = (octets: number) => this.#link.write(this.#image, 'blockSize', octets);

  /** One digit per block, 1 for received. A device without the list reports its first missing block; all before it count as received. */
  async blockMap(blocks: number): Promise<Outcome<string>> {
    const read = await this.#link.read(this.#image, 'transferredBlocksStatus');
    if (read.ok) return ok(read.value.slice(0, blocks).padEnd(blocks, '0'));
    if (read.reason !== 'OBJECT_UNDEFINED' && read.reason !== 'ACCESS_DENIED') return read;
    const first = await this.firstMissing();
    return first.ok ? ok('1'.repeat(Math.min(first.value, blocks)).padEnd(blocks, '0')) : first;
  }

  initiate = (identification: Uint8Array, size: number) => this.#link.invoke(this.#image, 'initiate', { identification, size });
  put = (blockNumber: number, block: Uint8Array) => this.#link.invoke(this.#image, 'blockTransfer', { blockNumber, block });
  verify = () => this.#link.invoke(this.#image, 'verify', 0);
  activate = () => this.#link.invoke(this.#image, 'activate', 0);

  /** The time that the device's clock shows, as if it were UTC. */
  async shownTime(): Promise<Outcome<number>> {
    const read = await this.#link.read(WELL_KNOWN.CLOCK, 'time');
    if (!read.ok) return read;
    const shown = toEpochMs({ ...read.value, deviationMinutes: 0 }, 0);
    return shown === null ? failed('CLOCK_INVALID') : ok(shown);
  }

  /** Schedules activation for the time that the device's clock shows as `shownAt`; null deletes the schedule. */
  schedule(shownAt: number | null): Promise<Outcome<void>> {
    const at = shownAt === null ? null : fromEpochMs(shownAt, 0);
    return this.#link.write(WELL_KNOWN.SCHEDULE_IMAGE, 'executionTime', at === null ? [] : [{ time: at, date: at }]);
  }
}
