import { sql } from 'kysely';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db, Tx } from './context.ts';
import { chainKeyOf, type Secrets } from '#platform/secrets.ts';
import { StartError } from '#platform/start-error.ts';
import { lockInTransaction } from './advisory-locks.ts';
import { writeAudit } from './audit.ts';
import { keysOf, rightsKeyOf, type RetiredChainKey } from './handle-keys.ts';
import { renewRightSeals } from './right-seals.ts';
import { renewSettingSeals } from './sealed-settings.ts';

/**
 * Derived keys that outlive the master key: hashes of recovery codes and refresh tokens cannot be recomputed, and meters identify the
 * head-end by its system title.
 */
const KEPT = ['recovery codes', 'refresh tokens', 'client system title'] as const;
const KEPT_PURPOSE = 'master key/kept';

interface Kept {
  derived: Record<string, string>;
  chains: { through: Record<Chain, string>; key: string }[];
}

export interface KeyTools {
  db: Db;
  secrets: Secrets;
  clock: Pick<Clock, 'now'>;
  /** Recompute the seals and MACs of features under the new key. */
  renewals: readonly ((tx: Tx, secrets: Secrets) => Promise<void>)[];
}

const findKey = (db: Db, state: 'current' | 'retiring') =>
  db.selectFrom('masterKey').where('state', '=', state).selectAll().executeTakeFirst();

const howToReplace = 'To replace it, give the former one as HES_MASTER_KEY_PREVIOUS, or as master.key.previous in the data folder.';

/**
 * Makes a new key the first one of the database. `keep` stores the key before the database names it, so that a crash cannot lose it. Throws if
 * the secrets of the database are sealed with a key already: a head-end without one must not invent another.
 */
export async function beginWithNewKey({ db, secrets }: Pick<KeyTools, 'db' | 'secrets'>, keep: () => void): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'seed');
    const current = await findKey(tx, 'current');
    if (current !== undefined)
      throw new StartError(
        `The stored secrets are sealed with the master key ${current.keyId}, and this head-end has no key. Set HES_MASTER_KEY to that key, the same for every head-end on the database, or bring master.key back into the data folder.`,
      );
    keep();
    await insertFirstKey(tx, secrets);
  });
}

/**
 * Compares the master key with the key of the database and begins a rotation if they differ: one transaction recomputes all seals. Stored
 * secrets are re-encrypted in the background.
 */
export async function openMasterKey(tools: KeyTools): Promise<void> {
  const { db, secrets } = tools;
  const current = (await findKey(db, 'current')) ?? (await recordFirstKey(db, secrets));
  if (current.keyId !== secrets.keyId) {
    if (secrets.previous?.keyId !== current.keyId)
      throw new StartError(
        `The stored secrets are sealed with the master key ${current.keyId}, and this is ${secrets.keyId}. Bring that key back (HES_MASTER_KEY, or master.key in the data folder). ${howToReplace}`,
      );
    // Another head-end that was started at the same time may have begun it: then this one joins.
    return (await beginRotation(tools, secrets.previous)) ? undefined : openMasterKey(tools);
  }
  await loadKeptKeys(tools, current.kept);
  const retiring = await findKey(db, 'retiring');
  if (retiring === undefined) return secrets.forgetPrevious();
  if (retiring.keyId !== secrets.previous?.keyId)
    throw new StartError(
      `The rotation of the master key is not finished: secrets are still sealed with the key ${retiring.keyId}. Give that key as HES_MASTER_KEY_PREVIOUS, or as master.key.previous in the data folder, until the log says that the rotation is finished.`,
    );
}

/** Records the first key of a database and returns it, or that of another head-end which was started at the same time. */
const recordFirstKey = (db: Db, secrets: Secrets) =>
  db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'seed');
    return (await findKey(tx, 'current')) ?? (await insertFirstKey(tx, secrets));
  });

/** If a previous key is configured, the existing secrets are sealed with it, and a rotation follows. */
async function insertFirstKey(tx: Tx, secrets: Secrets) {
  const user = await tx.selectFrom('appUser').select('id').limit(1).executeTakeFirst();
  const { keyId } = (user === undefined ? undefined : secrets.previous) ?? secrets;
  return tx.insertInto('masterKey').values({ keyId, state: 'current' }).returningAll().executeTakeFirstOrThrow();
}

/** Loads the derived keys of former master keys into `secrets` and the database handle. */
async function loadKeptKeys({ db, secrets }: Pick<KeyTools, 'db' | 'secrets'>, sealed: Buffer | null): Promise<void> {
  if (sealed === null) return;
  const kept = JSON.parse(secrets.open(sealed, KEPT_PURPOSE).toString()) as Kept; // as: written below
  for (const [purpose, key] of Object.entries(kept.derived)) secrets.keep(purpose, Buffer.from(key, 'hex'));
  const retired = kept.chains.map(({ through, key }): RetiredChainKey => ({ through, key: Buffer.from(key, 'hex') }));
  keysOf(db).retired.splice(0, Infinity, ...retired);
}

async function newestIds(tx: Tx): Promise<Record<Chain, string>> {
  const { rows } = await sql<Record<Chain, string>>`
    select coalesce((select max(id) from audit_log), 0)::text as audit, coalesce((select max(id) from command_log), 0)::text as commands`.execute(
    tx,
  );
  return rows[0] ?? { audit: '0', commands: '0' };
}

/**
 * Runs before the head-end accepts requests, so there are no concurrent writes. One transaction: a crash leaves it either not begun or
 * committed. False: another head-end has begun one meanwhile.
 */
async function beginRotation(tools: KeyTools, previous: Secrets): Promise<boolean> {
  const { db, secrets, clock, renewals } = tools;
  return db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'seed');
    const former = await findKey(tx, 'current');
    if (former?.keyId !== previous.keyId) return false;
    if ((await findKey(tx, 'retiring')) !== undefined)
      throw new StartError('A rotation of the master key is not finished. Finish it with its two keys before the next one begins.');
    await loadKeptKeys({ ...tools, db: tx }, former.kept);
    for (const purpose of KEPT) secrets.keep(purpose, keptOr(secrets, previous, purpose));
    const through = await newestIds(tx);
    const chains = [...keysOf(tx).retired, { through, key: chainKeyOf(previous) }];
    const content: Kept = {
      derived: Object.fromEntries(KEPT.map((purpose) => [purpose, secrets.derive(purpose).toString('hex')])),
      chains: chains.map(({ key, ...rest }) => ({ ...rest, key: key.toString('hex') })),
    };
    const kept = secrets.seal(Buffer.from(JSON.stringify(content)), KEPT_PURPOSE);
    keysOf(tx).retired.splice(0, Infinity, ...chains);
    await renewRightSeals(tx, rightsKeyOf(chainKeyOf(previous)));
    await renewSettingSeals(tx, rightsKeyOf(chainKeyOf(previous)));
    for (const renew of renewals) await renew(tx, secrets);
    const now = new Date(clock.now());
    await tx.updateTable('masterKey').set({ state: 'retiring', kept: null }).where('state', '=', 'current').execute();
    await tx.insertInto('masterKey').values({ keyId: secrets.keyId, state: 'current', beganAt: now, kept }).execute();
    // First audit entry under the new key: its hash covers the last entry under the former key, and its detail names the newest command.
    const command = await tx.selectFrom('commandLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
    const detail = {
      fromKey: previous.keyId,
      toKey: secrets.keyId,
      auditRow: through.audit,
      commandRow: through.commands,
      commandHash: command?.hash.toString('hex') ?? '',
    };
    await writeAudit(tx, { userId: null, action: 'master_key_rotation_began', entity: 'audit', entityId: null, detail }, now.getTime());
    return true;
  });
}

/** A key kept by an earlier rotation is loaded already and takes precedence. */
const keptOr = (secrets: Secrets, previous: Secrets, purpose: string): Buffer =>
  secrets.isKept(purpose) ? secrets.derive(purpose) : previous.derive(purpose);

/** Ends the rotation. Call it once no secret is sealed with the former key; true when this call ended it. */
export async function endRotation({ db, secrets, clock }: Omit<KeyTools, 'renewals'>): Promise<boolean> {
  const { previous } = secrets;
  if (previous === undefined) return false;
  const now = clock.now();
  const isEnded = await db.transaction().execute(async (tx) => {
    const retired = await tx
      .updateTable('masterKey')
      .set({ state: 'retired', endedAt: new Date(now) })
      .where('state', '=', 'retiring')
      .where('keyId', '=', previous.keyId)
      .returning('keyId')
      .executeTakeFirst();
    if (retired === undefined) return false;
    const current = await findKey(tx, 'current');
    const detail = { fromKey: previous.keyId, toKey: secrets.keyId, resealed: Number(current?.resealed ?? 0) };
    await writeAudit(tx, { userId: null, action: 'master_key_rotated', entity: 'audit', entityId: null, detail }, now);
    return true;
  });
  if (isEnded) secrets.forgetPrevious();
  return isEnded;
}

/** Adds to the number of secrets that are resealed with the current key. */
export const countRenewed = (tx: Db, renewed: number) =>
  tx
    .updateTable('masterKey')
    .set((expression) => ({ resealed: sql<string>`${expression.ref('resealed')} + ${renewed}` }))
    .where('state', '=', 'current')
    .execute();
