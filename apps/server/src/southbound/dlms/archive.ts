import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { entryCodec, type ArrayShape } from '@hes/dlms/profile/dcu-shapes.ts';
import type { DeviceLink } from '#field/link.ts';
import type { ArchiveChange, ArchivedMeter, ArchivePart, ArchiveProgress, ArchiveTarget } from '#southbound/dcu-parts.ts';
import { repairArchive } from './archive-repair.ts';
import { serialOf, text, type WireArchive, type WireEntry } from './archive-entries.ts';
import { EntryArray, type EntryChange } from './arrays.ts';

/** The archive of a DCU as an array of entries in the shape of its profile. */
export class DlmsArchive implements ArchivePart, WireArchive {
  readonly #array: EntryArray<WireEntry>;
  readonly #present: ReadonlySet<string>;
  #known: ReadonlyMap<string, ArchiveEntry> = new Map();
  #entries: WireEntry[] = [];

  constructor(link: DeviceLink, manager: string, shape: ArrayShape) {
    this.#array = new EntryArray(link, manager, { id: shape.id, codec: entryCodec('archive', shape) });
    this.#present = new Set(shape.fields.map((field) => field.name));
  }

  get frames(): number {
    return this.#array.frames;
  }

  /** The fields that both sides have. A field that the DCU does not keep cannot differ: it has the value of the head-end. */
  entryOf(wire: WireEntry): ArchiveEntry {
    const address = text(wire.address);
    const { measurementPoint, protocol, communicationMode, phase, isMaster, enabled } = wire;
    const entry: ArchiveEntry = {
      measurementPoint,
      address: address === text(wire.serialNumber) ? '' : address,
      protocol,
      communicationMode,
      meterType: text(wire.meterType),
      phase,
      isMaster,
      enabled,
    };
    const absent = Object.entries(this.#known.get(serialOf(wire)) ?? {}).filter(([field]) => !this.#present.has(field));
    return { ...entry, ...Object.fromEntries(absent) };
  }

  count(): Promise<Outcome<number>> {
    return this.#array.count();
  }

  async read(known: ReadonlyMap<string, ArchiveEntry>): Promise<Outcome<ArchivedMeter[]>> {
    this.#known = known;
    const read = await this.#array.retrieveAll();
    if (!read.ok) return read;
    this.#entries = read.value;
    return ok(read.value.map((wire) => ({ sn: serialOf(wire), entry: this.entryOf(wire) })));
  }

  change(target: ArchiveTarget, progress: ArchiveProgress): Promise<Outcome<ArchiveChange>> {
    // The values that are written next fill the fields that the DCU does not keep, too.
    this.#known = new Map([...this.#known, ...target.wanted]);
    return repairArchive(this, this.#entries, target, progress);
  }

  retrieve(from: number, to: number): Promise<Outcome<WireEntry[]>> {
    return this.#array.retrieve(from, to);
  }

  changeEntries(changes: readonly EntryChange<WireEntry>[]): Promise<Outcome<Outcome<unknown>[]>> {
    return this.#array.change(changes);
  }

  remove(from: number, to: number): Promise<Outcome<void>> {
    return this.#array.remove(from, to);
  }
}
