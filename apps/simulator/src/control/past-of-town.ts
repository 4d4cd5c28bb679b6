import { makeImage } from '#devices/firmware-image.ts';
import { dayText } from '#world/calendar.ts';
import type { FleetLanguage } from '#world/names.ts';
import type { MeterPlan } from '#world/plan.ts';
import { awayForMs, staffOf, type StaffMember } from '#world/town-past.ts';
import type { World } from '#world/world.ts';

/** A firmware that the manufacturer has published for types of the fleet, and that its devices accept. */
interface PublishedFirmware {
  name: string;
  version: string;
  supplierCode: string;
  typeCodes: string[];
  fileName: string;
  imageBase64: string;
}

/** What the utility has besides its devices, and which devices did not answer in past nights. */
export interface PastOfTown {
  staff: StaffMember[];
  firmware: PublishedFirmware[];
  /** Serial numbers of meters that never answer, or only to another key, and of DCUs that never connected. */
  silentMeters: string[];
  wrongKeyMeters: string[];
  absentDcus: string[];
  /** Per day: DCUs that were not connected in the night before it. */
  nights: { day: string; away: string[] }[];
}

const IMAGE_OCTETS = 20_000;
const PUBLISHED = [
  { model: 'HES-MP', version: 'HES-MP 2.5.0', supplierCode: 'HES', typeCodes: ['SM-1P', 'SM-3P'] },
  { model: 'LYN-MR', version: 'LYN-MR 1.9.1', supplierCode: 'LYN', typeCodes: ['SM-1R', 'SM-3R'] },
] as const;

const published = (): PublishedFirmware[] =>
  PUBLISHED.map(({ model, version, supplierCode, typeCodes }) => ({
    name: model,
    version,
    supplierCode,
    typeCodes: [...typeCodes],
    fileName: `${version.toLowerCase().replace(' ', '-')}.bin`,
    imageBase64: Buffer.from(makeImage({ model, version }, IMAGE_OCTETS)).toString('base64'),
  }));

/** The past of the town from a local day to another one, both included, with names in a language. */
export function pastOfTown(world: World, { from, to }: { from: number; to: number }, language: FleetLanguage): PastOfTown {
  const { meters, dcus } = world.plan;
  const snsOf = (is: (meter: MeterPlan) => boolean) =>
    meters.filter((meter) => is(meter) && meter.isUncommissioned !== true).map(({ sn }) => sn);
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  return {
    staff: staffOf(world, language),
    firmware: published(),
    silentMeters: snsOf(({ isSilent }) => isSilent),
    wrongKeyMeters: snsOf(({ hasWrongKey }) => hasWrongKey),
    absentDcus: dcus.filter(({ isAbsent }) => isAbsent).map(({ sn }) => sn),
    nights: days.map((day) => ({
      day: dayText(day),
      away: dcus.filter((dcu) => !dcu.isUnregistered && awayForMs(world, dcu, day) !== undefined).map(({ sn }) => sn),
    })),
  };
}
