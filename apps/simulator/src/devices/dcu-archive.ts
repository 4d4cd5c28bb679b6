import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import type { DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { meterTypeOf } from '#world/meter-type.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import { createEntryList, type EntryList } from './entry-list.ts';

export type ArchiveEntry = ValueOf<typeof DCU_ENTRIES.archive>;

export const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
export const textOf = (octets: Uint8Array): string => String.fromCharCode(...octets);

/** The archive of one DCU. */
export interface DcuArchive extends EntryList<ArchiveEntry> {
  /** Serial number of the meter that a gateway prefix addresses; undefined: unknown address. */
  serialOf(address: string): string | undefined;
  /** Number of changes since the start, with which a test detects duplicated commands. */
  changes(): number;
}

const FEWEST = { plc: 512, rf: 1024, plc_rf: 1024 } as const;

/** An entry as an installer, or a head-end with correct data, would write it. */
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
  let changes = 0;
  let bySerial: Map<string, ArchiveEntry> | undefined;
  const list = createEntryList(initial, {
    capacity: Math.max(FEWEST[plan.dataChannel], initial.length),
    clash: (one, other) => one.measurementPoint === other.measurementPoint || textOf(one.serialNumber) === textOf(other.serialNumber),
    changed() {
      changes++;
      bySerial = undefined;
    },
  });
  return {
    ...list,
    serialOf(address) {
      bySerial ??= new Map(
        list
          .entries()
          .filter((entry) => entry.enabled)
          .map((entry) => [textOf(entry.address) || textOf(entry.serialNumber), entry]),
      );
      const entry = bySerial.get(address);
      return entry && textOf(entry.serialNumber);
    },
    changes: () => changes,
  };
}
