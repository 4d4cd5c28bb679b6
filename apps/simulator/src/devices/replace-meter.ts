import type { MeterPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { ascii, type DcuArchive, textOf } from './dcu-archive.ts';

/**
 * Replaces a meter on the same branch of the network; with an archive its entry is updated, too. Returns the new meter.
 * The old one is unresponsive from that moment on.
 */
export function replaceMeter(
  { world, network }: Pick<FleetContext, 'world' | 'network'>,
  old: MeterPlan,
  { atMs, archive }: { atMs: number; archive: DcuArchive | undefined },
): MeterPlan {
  const successor = world.replaceMeter(old, atMs);
  const movedTo = network.moved.get(old.sn);
  if (movedTo !== undefined) network.moved.set(successor.sn, movedTo);
  const at = archive?.entries().findIndex((entry) => textOf(entry.serialNumber) === old.sn) ?? -1;
  const entry = archive?.entries()[at];
  if (archive && entry) {
    const serialNumber = ascii(successor.sn);
    const address = textOf(entry.address) === old.sn ? serialNumber : entry.address;
    archive.update(at + 1, { ...entry, serialNumber, address });
  }
  return successor;
}
