import { type ArchiveEntry, ascii, type DcuArchive, textOf } from './dcu-archive.ts';

export const DRIFT_KINDS = ['add', 'remove', 'serial', 'move', 'phase', 'point'] as const;

/**
 * add: a meter was entered at the DCU. remove: an entry was deleted. serial: the serial number of an entry was overwritten
 * without a meter replacement. move: an entry moved to another DCU. phase: the phase of an entry changed. point: two
 * entries swapped their measurement points.
 */
export type DriftKind = (typeof DRIFT_KINDS)[number];

const NEXT_PHASE = { a: 'b', b: 'c', c: 'a', abc: 'a', unknown: 'a' } as const;
let typed = 0;

const strangeSerial = (): Uint8Array => ascii(`9900${String(++typed).padStart(8, '0')}`);
const freePoint = (archive: DcuArchive): number => {
  const taken = new Set(archive.entries().map((entry) => entry.measurementPoint));
  let point = 1;
  while (taken.has(point)) point++;
  return point;
};

/** Changes an archive without the head-end, at the entry at `place` or the last one. Returns the affected serial numbers. */
export function driftArchive(kind: DriftKind, archive: DcuArchive, place: number, target?: DcuArchive): string[] {
  const count = archive.entries().length;
  const at = Math.min(Math.max(place, 1), Math.max(count, 1));
  const entry = archive.entries()[at - 1];
  if (kind === 'add') {
    const added: ArchiveEntry = { ...(entry ?? BLANK), serialNumber: strangeSerial(), measurementPoint: freePoint(archive) };
    archive.insert(0, added);
    return [textOf(added.serialNumber)];
  }
  if (entry === undefined) return [];
  const sn = textOf(entry.serialNumber);
  switch (kind) {
    case 'remove':
      archive.remove(at, at);
      return [sn];
    case 'move':
      archive.remove(at, at);
      if (target) target.insert(0, { ...entry, measurementPoint: freePoint(target) });
      return [sn];
    case 'serial': {
      const serialNumber = strangeSerial();
      archive.update(at, { ...entry, serialNumber });
      return [sn, textOf(serialNumber)];
    }
    case 'phase':
      archive.update(at, { ...entry, phase: NEXT_PHASE[entry.phase] });
      return [sn];
    case 'point':
      return swapPoints(archive, at);
  }
}

function swapPoints(archive: DcuArchive, at: number): string[] {
  const entries = archive.entries();
  const [one, other] = [entries[at - 1], entries[at % entries.length]];
  if (!one || !other || one === other) return [];
  const otherPlace = (at % entries.length) + 1;
  archive.update(at, { ...one, measurementPoint: 0xffff });
  archive.update(otherPlace, { ...other, measurementPoint: one.measurementPoint });
  archive.update(at, { ...one, measurementPoint: other.measurementPoint });
  return [textOf(one.serialNumber), textOf(other.serialNumber)];
}

const BLANK: ArchiveEntry = {
  measurementPoint: 1,
  serialNumber: new Uint8Array(0),
  address: new Uint8Array(0),
  protocol: 'dlms',
  communicationMode: 'plc',
  meterType: ascii('SM-1P'),
  phase: 'a',
  isMaster: false,
  collectorAddress: new Uint8Array(0),
  keySlot: 0,
  enabled: true,
};
