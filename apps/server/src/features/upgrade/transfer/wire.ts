import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { UpgradeTarget } from '@hes/contract/states/upgrade.ts';
import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import type { AttributeValue } from '@hes/dlms/cosem/cosem-class.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { CosemObject } from '#field/cosem-object.ts';
import { readText } from '#field/device-name.ts';
import type { DeviceLink } from '#field/link.ts';

export type ImageStatus = AttributeValue<typeof imageTransfer, 'transferStatus'>;

/** Targets with an image transfer object; `meters` is the object of a DCU for broadcasts to its meters. */
export type ImageTarget = UpgradeTarget | 'meters';

/** Logical names of image and version of each target. The DCU hosts those of RT, STA and broadcasts. */
const LOCATIONS: Record<ImageTarget, { image: Obis; versions: readonly Obis[] }> = {
  dcu: { image: DCU_OBJECTS.IMAGE, versions: [DCU_OBJECTS.FIRMWARE, WELL_KNOWN.FWID.instance] },
  rt: { image: DCU_OBJECTS.IMAGE_ROUTE_MODULE, versions: [DCU_OBJECTS.FIRMWARE_ROUTE_MODULE] },
  sta: { image: DCU_OBJECTS.IMAGE_STATIONS, versions: [DCU_OBJECTS.FIRMWARE_STATIONS] },
  meter: { image: WELL_KNOWN.IMAGE.instance, versions: [WELL_KNOWN.FWID.instance] },
  meters: { image: DCU_OBJECTS.IMAGE_METERS, versions: [] },
};

/** Attributes and methods of the image transfer object of one target. */
export class ImageWire {
  readonly #link: DeviceLink;
  readonly #target: ImageTarget;
  readonly #image: CosemObject<typeof imageTransfer>;

  constructor(link: DeviceLink, target: ImageTarget) {
    this.#link = link;
    this.#target = target;
    this.#image = { cosemClass: imageTransfer, instance: LOCATIONS[target].image };
  }

  /** The active firmware version. */
  async version(): Promise<Outcome<string>> {
    let last: Outcome<string> = failed('OBJECT_UNDEFINED');
    for (const instance of LOCATIONS[this.#target].versions) {
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
