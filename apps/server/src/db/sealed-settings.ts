import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonical } from './canonical.ts';
import type { Db, Tx } from './context.ts';
import { keysOf } from './handle-keys.ts';

/** Settings that decide who may sign in. Their rows are sealed, and their newest version is kept outside of the database. */
export const SEALED_SETTINGS = ['localSignIn'] as const;
export type SealedSetting = (typeof SEALED_SETTINGS)[number];
export const isSealedSetting = (key: string): key is SealedSetting => SEALED_SETTINGS.some((sealed) => sealed === key);

interface SettingRow {
  value: unknown;
  version: number;
  seal: Buffer | null;
}

const macOf = (key: Buffer, name: string, { value, version }: SettingRow): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['setting', name, version, canonical(value)]))
    .digest();
const isSame = (given: Buffer, expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected);
const numbered = (id: SealedSetting) => ({ kind: 'setting', id }) as const;

const findRow = (db: Db, key: SealedSetting): Promise<SettingRow | undefined> =>
  db.selectFrom('setting').where('key', '=', key).select(['value', 'version', 'seal']).executeTakeFirst();

/** Seals the present value of a setting in the transaction that stored it. Its version becomes larger than any that is known. */
export async function sealSetting(tx: Tx, key: SealedSetting): Promise<void> {
  const row = await findRow(tx, key);
  if (row === undefined) return;
  const version = Math.max(row.version, Number(keysOf(tx).numbers.of(numbered(key))) + 1);
  const seal = macOf(keysOf(tx).rights, key, { ...row, version });
  await tx.updateTable('setting').set({ version, seal }).where('key', '=', key).execute();
}

/** The value of a sealed setting; `isIntact` is false if the row was changed, replaced by an older one, or deleted outside the product. */
export async function findSealedSetting(db: Db, key: SealedSetting): Promise<{ value: unknown; isIntact: boolean }> {
  const { rights, numbers } = keysOf(db);
  const row = await findRow(db, key);
  const newest = numbers.of(numbered(key));
  // Without a number it was never sealed: it was never set, or by an earlier version.
  if (row === undefined || row.seal === null) return { value: row?.value, isIntact: newest === '0' };
  const isIntact = isSame(row.seal, macOf(rights, key, row)) && BigInt(row.version) >= BigInt(newest);
  if (isIntact && !db.isTransaction) numbers.note(numbered(key), String(row.version));
  return { value: row.value, isIntact };
}

/** Seals the settings that an earlier version stored. */
export async function sealExistingSettings(db: Db): Promise<void> {
  for (const key of SEALED_SETTINGS) {
    const row = await findRow(db, key);
    const isOfFormerVersion = row !== undefined && row.seal === null && keysOf(db).numbers.of(numbered(key)) === '0';
    if (isOfFormerVersion) await db.transaction().execute((tx) => sealSetting(tx, key));
    await findSealedSetting(db, key);
  }
}

/** Replaces the seals of the previous key. One that was broken stays broken. */
export async function renewSettingSeals(tx: Tx, previous: Buffer): Promise<void> {
  for (const key of SEALED_SETTINGS) {
    const row = await findRow(tx, key);
    if (row?.seal == null || !isSame(row.seal, macOf(previous, key, row))) continue;
    const seal = macOf(keysOf(tx).rights, key, row);
    await tx.updateTable('setting').set({ seal }).where('key', '=', key).execute();
  }
}
