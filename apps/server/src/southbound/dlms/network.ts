import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { DcuEntry } from '@hes/dlms/profile/dcu-shapes.ts';
import type { FoundMeter, Module, Station } from '#southbound/dcu-parts.ts';
import { hex, serialOf, text } from './archive-entries.ts';
import type { EntryArray } from './arrays.ts';

const ROLES = { coordinator: 'cco', relay: 'pco', station: 'sta' } as const;

/** Reads the stations of a network; the coordinator is the DCU itself and left out. */
export async function readStations(array: EntryArray<DcuEntry<'topology'>>, deviationMinutes: number): Promise<Outcome<Station[]>> {
  const read = await array.retrieveAll();
  return read.ok ? ok(stationsOf(read.value, deviationMinutes)) : read;
}

function stationsOf(entries: readonly DcuEntry<'topology'>[], deviationMinutes: number): Station[] {
  const macOf = new Map(entries.map((entry) => [entry.nodeId, hex(entry.mac)]));
  return entries
    .filter((entry) => entry.role !== 'coordinator')
    .map((entry) => {
      const since = toEpochMs(entry.onlineSince, deviationMinutes);
      return {
        mac: hex(entry.mac),
        nodeId: entry.nodeId,
        sn: serialOf(entry),
        // An id outside of the list, such as the coordinator's, means that the DCU is the parent.
        parentMac: macOf.get(entry.parentId) ?? null,
        level: entry.level,
        role: ROLES[entry.role],
        phase: entry.phase,
        link: entry.communicationMode === 'rf' ? 'rf' : 'plc',
        signalValue: entry.signal,
        upPct: entry.uplinkSuccess,
        downPct: entry.downlinkSuccess,
        onlineSince: since === null ? null : new Date(since).toISOString(),
      };
    });
}

export async function readModules(array: EntryArray<DcuEntry<'modules'>>): Promise<Outcome<Module[]>> {
  const read = await array.retrieveAll();
  return read.ok ? ok(read.value.map(moduleOf)) : read;
}

/** ISO date; null when a part of it is unspecified. */
const dayOf = ({ year, month, day }: DcuEntry<'modules'>['buildDate']): string | null =>
  year === null || month === null || day === null ? null : `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

const moduleOf = (entry: DcuEntry<'modules'>): Module => ({
  mac: hex(entry.mac),
  role: ROLES[entry.role],
  chipId: text(entry.chip),
  vendor: text(entry.vendor),
  hwVersion: text(entry.hardwareVersion),
  swVersion: text(entry.softwareVersion),
  boots: entry.bootCount,
  uptimeS: entry.uptimeSeconds,
  raw: {
    ...entry,
    mac: hex(entry.mac),
    chip: text(entry.chip),
    vendor: text(entry.vendor),
    hardwareVersion: text(entry.hardwareVersion),
    softwareVersion: text(entry.softwareVersion),
    buildDate: dayOf(entry.buildDate),
  },
});

/** Reads the meters that the DCU has found. An unspecified moment is that of the reading. */
export async function readFound(
  array: EntryArray<DcuEntry<'discovered'>>,
  { now, deviationMinutes }: { now: number; deviationMinutes: number },
): Promise<Outcome<FoundMeter[]>> {
  const read = await array.retrieveAll();
  if (!read.ok) return read;
  return ok(
    read.value.map((entry) => ({
      sn: serialOf(entry),
      address: text(entry.address),
      protocol: entry.protocol,
      communicationMode: entry.communicationMode,
      phase: entry.phase,
      hops: entry.hops,
      signal: entry.signal,
      firstSeen: new Date(toEpochMs(entry.firstSeen, deviationMinutes) ?? now),
      lastSeen: new Date(toEpochMs(entry.lastSeen, deviationMinutes) ?? now),
    })),
  );
}
