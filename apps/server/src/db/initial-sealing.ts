import { writeAudit } from './audit.ts';
import type { Db } from './context.ts';
import { keysOf } from './handle-keys.ts';
import { noteSealNumbers, sealEverything } from './right-seals.ts';
import { sealExistingSettings } from './sealed-settings.ts';

/**
 * Seals all users, roles and sessions of an installation that predates seals, once for each data folder. If the file with the numbers is
 * lost, they are restored from the seals in the database.
 */
export async function sealExistingRights(db: Db, now: number): Promise<void> {
  const { numbers } = keysOf(db);
  if (numbers.isNew) {
    await db.transaction().execute(async (tx) => {
      const sealed = await tx.selectFrom('rightSeal').select('kind').limit(1).executeTakeFirst();
      const anybody = await tx.selectFrom('appUser').select('id').limit(1).executeTakeFirst();
      if (sealed !== undefined || anybody === undefined) return;
      const detail = await sealEverything(tx);
      await writeAudit(tx, { userId: null, action: 'rights_sealed', entity: 'audit', entityId: null, detail }, now);
    });
  }
  await sealExistingSettings(db);
  await noteSealNumbers(db);
  if (numbers.isNew) numbers.begin();
}
