import { dayText, type Zone } from '@hes/contract/schedule/zone.ts';
import { LOADED_FIRMWARE_TEXT, LOADED_USER_TEXT } from '@hes/contract/states/loaded.ts';
import { DELIVERED_ROLES, type DeliveredRole } from '@hes/contract/text/roles.ts';
import { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import type { Context, Db, Tx } from '#db/context.ts';
import { findSetting, saveSetting } from '#db/settings.ts';
import { deleteLoadedRuns, insertLoadedRun, type LoadedItem } from '#features/collection/port.ts';
import { addStaff, removeStaff, type AddedStaff } from '#features/people/port.ts';
import { addDraft, removeDrafts } from '#features/upgrade/port.ts';
import { findMetersOfDcus, findTransformer, type MeterOfDcu } from './demonstration-queries.ts';

/** Setting with what was added besides devices, for its removal; absent or null until it is added. */
const TOWN_SETTING = 'demoTown';
/** Older nights would only lengthen the list of runs. */
const NIGHTS = 14;
const READ_AFTER_MS = 30 * 60_000;

const ROLE_OF = {
  operator: 'OPERATOR',
  relief: 'OPERATOR',
  data: 'DATA_ENGINEER',
  network: 'COMM_ENGINEER',
  firmware: 'FW_ENGINEER',
  auditor: 'AUDITOR',
} as const satisfies Record<string, DeliveredRole>;
const LIMITED_ROLE = 'COMM_ENGINEER_DEMO';
const NAME_MAX = 32;

export const pastOfTown = z.object({
  staff: z.array(
    z.object({ duty: z.enum(Object.keys(ROLE_OF) as (keyof typeof ROLE_OF)[]), name: z.string(), transformerCode: z.string().nullable() }),
  ), // as: keys of that table
  firmware: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      supplierCode: z.string(),
      typeCodes: z.array(z.string()),
      fileName: z.string(),
      imageBase64: z.base64(),
    }),
  ),
  silentMeters: z.array(z.string()),
  wrongKeyMeters: z.array(z.string()),
  absentDcus: z.array(z.string()),
  nights: z.array(z.object({ day: z.string(), away: z.array(z.string()) })),
});
type PastOfTown = z.infer<typeof pastOfTown>;

interface AddedTown {
  staff: AddedStaff;
  firmwareIds: string[];
}

type Language = 'en' | 'zh';

async function addPeople(tx: Tx, { staff }: PastOfTown, language: Language, now: Date): Promise<AddedStaff> {
  const people = await Promise.all(
    staff.map(async ({ duty, name, transformerCode }) => {
      const role = ROLE_OF[duty];
      const at = transformerCode === null ? undefined : await findTransformer(tx, transformerCode);
      const workplace = at && {
        transformerId: at.id,
        roleCode: LIMITED_ROLE,
        roleName: `${DELIVERED_ROLES[role].name[language]}: ${at.name}`.slice(0, NAME_MAX).trim(),
      };
      return { username: `demo.${duty}`, name, role, workplace, lockReason: LOADED_USER_TEXT[language] };
    }),
  );
  return addStaff(tx, people, now);
}

async function addFirmware(tx: Tx, { firmware }: PastOfTown, language: Language, now: Date): Promise<string[]> {
  const ids: string[] = [];
  for (const { imageBase64, ...given } of firmware) {
    const about = { image: Buffer.from(imageBase64, 'base64'), reason: LOADED_FIRMWARE_TEXT[language], provider: given.name };
    const id = await addDraft(tx, { ...given, ...about }, now);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** Outcomes of the collection of one night: by DCU and reason, as far as the simulator says that a device did not answer. */
function itemsOf(
  { silentMeters, wrongKeyMeters, absentDcus }: PastOfTown,
  meters: readonly MeterOfDcu[],
  away: readonly string[],
): LoadedItem[] {
  const [silent, wrongKey, gone] = [new Set(silentMeters), new Set(wrongKeyMeters), new Set([...absentDcus, ...away])];
  const reasonOf = ({ sn, dcuSn }: MeterOfDcu): LoadedItem['reason'] => {
    if (gone.has(dcuSn)) return 'DCU_OFFLINE';
    return wrongKey.has(sn) ? 'AUTH_FAILED' : silent.has(sn) ? 'METER_TIMEOUT' : null;
  };
  const alike = Map.groupBy(meters, (meter) => `${meter.dcuId} ${reasonOf(meter) ?? ''}`);
  return [...alike.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ dcuId: first.dcuId, meterIds: members.map(({ id }) => id), reason: reasonOf(first) }];
  });
}

async function addRuns(
  tx: Tx,
  past: PastOfTown,
  meters: readonly MeterOfDcu[],
  { zone, now }: { zone: Zone; now: number },
): Promise<number> {
  let runs = 0;
  for (const { day, away } of past.nights.slice(-NIGHTS)) {
    const at = zone.startOf(Date.parse(`${day}T00:00:00Z`) / 86_400_000) + READ_AFTER_MS;
    if (at > now) continue;
    await insertLoadedRun(tx, { at: new Date(at), items: itemsOf(past, meters, away) });
    runs += 1;
  }
  return runs;
}

/**
 * Adds what the utility of the demonstration has besides its devices, once: locked users, firmware drafts and the runs of past nights. The audit
 * log receives one row, of this moment: rows with past times would be forged.
 */
export async function addTown(
  ctx: Pick<Context, 'db' | 'clock'>,
  past: PastOfTown,
  { dcus, zone, language }: { dcus: readonly string[]; zone: Zone; language: Language },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    if ((await findSetting(tx, TOWN_SETTING)) != null) return;
    const staff = await addPeople(tx, past, language, new Date(now));
    const firmwareIds = await addFirmware(tx, past, language, new Date(now));
    const runs = await addRuns(tx, past, await findMetersOfDcus(tx, dcus), { zone, now });
    await saveSetting(tx, TOWN_SETTING, { staff, firmwareIds } satisfies AddedTown);
    const detail = {
      users: staff.userIds.length,
      firmware: firmwareIds.length,
      runs,
      from: past.nights[0]?.day,
      to: dayText(zone.dayOf(now)),
    };
    await writeAudit(tx, { userId: null, entity: 'setting', action: 'demonstration_loaded', entityId: null, detail }, now);
  });
}

const findTown = async (db: Db | Tx) => (await findSetting(db, TOWN_SETTING)) as AddedTown | null | undefined; // as: written by `addTown`

/** Removes what `addTown` has added. Returns the sessions that have ended. */
export async function removeTown(tx: Tx, now: Date): Promise<string[]> {
  const town = await findTown(tx);
  if (town == null) return [];
  await deleteLoadedRuns(tx);
  await removeDrafts(tx, town.firmwareIds);
  const ended = await removeStaff(tx, town.staff, now);
  await saveSetting(tx, TOWN_SETTING, null);
  return ended;
}
