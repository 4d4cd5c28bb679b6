import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import type { Tx } from './context.ts';

const COLUMN_OF = { password: 'password', masterKey: 'master_key', ek: 'ek', ak: 'ak' } as const;
type KeyName = keyof typeof COLUMN_OF;

interface KeyLogEntry {
  kind: 'dcu' | 'meter';
  id: string;
  change: DeviceKeys;
  method: 'typed' | 'imported' | 'transferred';
  userId: string | null;
}

/** Names of the secrets that a change contains, never their values. */
export const namesOfKeys = (change: DeviceKeys): KeyName[] =>
  // as: keys of that very table.
  (Object.keys(COLUMN_OF) as KeyName[]).filter((name) => change[name] !== undefined);

/** Rows of one statement: below PostgreSQL's limit of 65,535 parameters. */
const CHUNK = 5000;

/** Records which secrets of devices were changed, by which user and by which method. */
export async function logManyKeys(tx: Tx, entries: readonly KeyLogEntry[], now: Date): Promise<void> {
  const rows = entries.flatMap(({ kind, id, change, method, userId }) =>
    namesOfKeys(change).map((name) => ({
      deviceKind: kind,
      deviceId: id,
      keyType: COLUMN_OF[name],
      method: change[name] === null ? ('cleared' as const) : method,
      userId,
      changedAt: now,
    })),
  );
  for (let at = 0; at < rows.length; at += CHUNK)
    await tx
      .insertInto('deviceKeyLog')
      .values(rows.slice(at, at + CHUNK))
      .execute();
}

/** The same for one device. */
export const logKeys = (tx: Tx, entry: KeyLogEntry, now: Date): Promise<void> => logManyKeys(tx, [entry], now);
