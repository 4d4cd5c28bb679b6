import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import type { Tx } from '#platform/context.ts';

const COLUMN_OF = { password: 'password', masterKey: 'master_key', ek: 'ek', ak: 'ak' } as const;
type KeyName = keyof typeof COLUMN_OF;

interface KeyLogEntry {
  kind: 'dcu' | 'meter';
  id: string;
  change: DeviceKeys;
  method: 'typed' | 'imported' | 'transferred';
  userId: string | null;
}

/** Which secrets a change is about: names, never values. */
export const namesOfKeys = (change: DeviceKeys): KeyName[] =>
  // as: keys of that very table.
  (Object.keys(COLUMN_OF) as KeyName[]).filter((name) => change[name] !== undefined);

/** Writes down which secrets of a device were changed, by whom and how. */
export async function logKeys(tx: Tx, { kind, id, change, method, userId }: KeyLogEntry, now: Date): Promise<void> {
  const names = namesOfKeys(change);
  if (names.length === 0) return;
  await tx
    .insertInto('deviceKeyLog')
    .values(
      names.map((name) => ({
        deviceKind: kind,
        deviceId: id,
        keyType: COLUMN_OF[name],
        method: change[name] === null ? ('cleared' as const) : method,
        userId,
        changedAt: now,
      })),
    )
    .execute();
}
