import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { UpgradeTarget } from '@hes/contract/states/upgrade.ts';
import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode, encode, type Codec } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import type { AttributeValue } from '@hes/dlms/cosem/cosem-class.ts';
import { singleActionSchedule } from '@hes/dlms/cosem/classes/single-action-schedule.ts';
import { octetString } from '@hes/dlms/cosem/data.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
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

function decodeAs<T>(octets: Uint8Array, codec: Codec<T>): Outcome<T> {
  try {
    return ok(decode(codec, octets));
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

const { attributes, methods } = imageTransfer;
const SCHEDULE = { classId: singleActionSchedule.id, instance: WELL_KNOWN.SCHEDULE_IMAGE.instance };
const ZERO = 0;

/** Attributes and methods of the image transfer object of one target. */
export class ImageWire {
  readonly #link: DeviceLink;
  readonly #target: ImageTarget;

  constructor(link: DeviceLink, target: ImageTarget) {
    this.#link = link;
    this.#target = target;
  }

  get #at() {
    return { classId: imageTransfer.id, instance: LOCATIONS[this.#target].image };
  }

  async #get<T>({ id, codec }: { id: number; codec: Codec<T> }): Promise<Outcome<T>> {
    const read = await this.#link.get({ ...this.#at, attributeId: id });
    return read.ok ? decodeAs(read.value, codec) : read;
  }

  async #invoke(id: number, argument: Uint8Array): Promise<Outcome<void>> {
    const invoked = await this.#link.invoke({ ...this.#at, methodId: id }, argument);
    return invoked.ok ? ok(undefined) : invoked;
  }

  /** The active firmware version. */
  async version(): Promise<Outcome<string>> {
    let last: Outcome<string> = failed('OBJECT_UNDEFINED');
    for (const instance of LOCATIONS[this.#target].versions) {
      const read = await this.#link.get({ classId: data.id, instance, attributeId: data.attributes.value.id });
      if (read.ok) {
        const text = decodeAs(read.value, octetString);
        return text.ok ? ok(Buffer.from(text.value).toString('latin1').trim()) : text;
      }
      last = read;
      if (read.reason !== 'OBJECT_UNDEFINED' && read.reason !== 'ACCESS_DENIED') return read;
    }
    return last;
  }

  status = (): Promise<Outcome<ImageStatus>> => this.#get(attributes.transferStatus);
  blockSize = (): Promise<Outcome<number>> => this.#get(attributes.blockSize);
  firstMissing = (): Promise<Outcome<number>> => this.#get(attributes.firstNotTransferredBlockNumber);
  toActivate = () => this.#get(attributes.toActivateInfo);
  isEnabled = (): Promise<Outcome<boolean>> => this.#get(attributes.transferEnabled);

  enable(): Promise<Outcome<void>> {
    const { id, codec } = attributes.transferEnabled;
    return this.#link.set({ ...this.#at, attributeId: id }, encode(codec, true));
  }

  /** Many devices support one block size only and deny this. */
  setBlockSize(octets: number): Promise<Outcome<void>> {
    const { id, codec } = attributes.blockSize;
    return this.#link.set({ ...this.#at, attributeId: id }, encode(codec, octets));
  }

  /** One digit per block, 1 for received. A device without the list reports its first missing block; all before it count as received. */
  async blockMap(blocks: number): Promise<Outcome<string>> {
    const read = await this.#get(attributes.transferredBlocksStatus);
    if (read.ok) return ok(read.value.slice(0, blocks).padEnd(blocks, '0'));
    if (read.reason !== 'OBJECT_UNDEFINED' && read.reason !== 'ACCESS_DENIED') return read;
    const first = await this.firstMissing();
    return first.ok ? ok('1'.repeat(Math.min(first.value, blocks)).padEnd(blocks, '0')) : first;
  }

  initiate = (identification: Uint8Array, size: number): Promise<Outcome<void>> =>
    this.#invoke(methods.initiate.id, encode(methods.initiate.argument, { identification, size }));
  put = (blockNumber: number, block: Uint8Array): Promise<Outcome<void>> =>
    this.#invoke(methods.blockTransfer.id, encode(methods.blockTransfer.argument, { blockNumber, block }));
  /** The time that the device's clock shows, as if it were UTC. */
  async shownTime(): Promise<Outcome<number>> {
    const read = await this.#link.get({ classId: clock.id, instance: WELL_KNOWN.CLOCK.instance, attributeId: clock.attributes.time.id });
    if (!read.ok) return read;
    const time = decodeAs(read.value, clock.attributes.time.codec);
    if (!time.ok) return time;
    const shown = toEpochMs({ ...time.value, deviationMinutes: 0 }, 0);
    return shown === null ? failed('CLOCK_INVALID') : ok(shown);
  }

  /** Schedules activation for the time that the device's clock shows as `shownAt`; null deletes the schedule. */
  schedule(shownAt: number | null): Promise<Outcome<void>> {
    const at = shownAt === null ? null : fromEpochMs(shownAt, 0);
    const { id, codec } = singleActionSchedule.attributes.executionTime;
    const { classId, instance } = SCHEDULE;
    return this.#link.set({ classId, instance, attributeId: id }, encode(codec, at === null ? [] : [{ time: at, date: at }]));
  }

  verify = (): Promise<Outcome<void>> => this.#invoke(methods.verify.id, encode(methods.verify.argument, ZERO));
  activate = (): Promise<Outcome<void>> => this.#invoke(methods.activate.id, encode(methods.activate.argument, ZERO));
}
