import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import type { DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { meterTypeOf } from '#world/meter-type.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';

export type ArchiveEntry = ValueOf<typeof DCU_ENTRIES.archive>;

/** Why an archive stays as it was. */
export type ArchiveRefusal = 'full' | 'duplicate' | 'no_such_entry';

export const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
export const textOf = (octets: Uint8Array): string => String.fromCharCode(...octets);

/** The archive of one DCU: entries in their places, counted from 1. */
export interface DcuArchive {
  readonly capacity: number;
  entries(): readonly ArchiveEntry[];
  /** Before the entry at `place`; 0: behind the last. */
  insert(place: number, entry: ArchiveEntry): ArchiveRefusal | undefined;
  update(place: number, entry: ArchiveEntry): ArchiveRefusal | undefined;
  /** Both ends included; `to` 0 means the last. */
  remove(from: number, to: number): ArchiveRefusal | undefined;
  /** The meter a gateway prefix reaches; undefined: nobody. */
  serialOf(address: string): string | undefined;
  /** How many changes were made since the start; a test counts with it what was done twice. */
  changes(): number;
}

const FEWEST = { plc: 512, rf: 1024, plc_rf: 1024 } as const;

/** As the installer would have written it down, and as a head-end that knows the town would. */
export function entryOf(meter: MeterPlan, measurementPoint: number): ArchiveEntry {
  return {
    measurementPoint,
    serialNumber: ascii(meter.sn),
    address: new Uint8Array(0),
    protocol: 'dlms',
    communicationMode: meter.mode,
    meterType: ascii(meterTypeOf(meter)),
    phase: meter.phase,
    isMaster: meter.kind === 'master',
    collectorAddress: new Uint8Array(0),
    keySlot: 0,
    enabled: true,
  };
}

export function createDcuArchive(plan: DcuPlan, initial: readonly ArchiveEntry[]): DcuArchive {
  const entries: ArchiveEntry[] = [...initial];
  const capacity = Math.max(FEWEST[plan.dataChannel], initial.length);
  let changes = 0;
  let bySerial: Map<string, ArchiveEntry> | undefined;

  const changed = (): undefined => {
    changes++;
    bySerial = undefined;
  };
  const isTaken = (entry: ArchiveEntry, place: number): boolean => {
    const sn = textOf(entry.serialNumber);
    return entries.some(
      (other, i) => i !== place - 1 && (other.measurementPoint === entry.measurementPoint || textOf(other.serialNumber) === sn),
    );
  };

  return {
    capacity,
    entries: () => entries,
    insert(place, entry) {
      if (entries.length >= capacity) return 'full';
      if (place > entries.length) return 'no_such_entry';
      if (isTaken(entry, 0)) return 'duplicate';
      entries.splice(place === 0 ? entries.length : place - 1, 0, entry);
      return changed();
    },
    update(place, entry) {
      if (place < 1 || place > entries.length) return 'no_such_entry';
      if (isTaken(entry, place)) return 'duplicate';
      entries[place - 1] = entry;
      return changed();
    },
    remove(from, to) {
      const last = to === 0 ? entries.length : to;
      if (from < 1 || last < from || last > entries.length) return 'no_such_entry';
      entries.splice(from - 1, last - from + 1);
      return changed();
    },
    serialOf(address) {
      bySerial ??= new Map(
        entries.filter((entry) => entry.enabled).map((entry) => [textOf(entry.address) || textOf(entry.serialNumber), entry]),
      );
      const entry = bySerial.get(address);
      return entry && textOf(entry.serialNumber);
    },
    changes: () => changes,
  };
}
