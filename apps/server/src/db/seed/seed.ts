import type { Action } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import { lockInTransaction } from '../advisory-locks.ts';
import type { Db, Tx } from '#db/context.ts';
import { sealAsFound } from '../right-seals.ts';
import { generatePassword, hashPassword } from '#platform/passwords.ts';
import { CATALOGUE_ITEMS } from './catalogue-items.ts';
import { EVENT_CODES } from './event-codes.ts';
import { MODULES } from './modules.ts';
import { READING_ITEMS } from './reading-items.ts';
import { seedReferenceTypes } from './reference-types.ts';
import { ROLES, type SeedRole } from './roles.ts';
import { partsOfBody, resolveBody, SOUTHBOUND_PROFILES, type SouthboundBody } from './southbound-profiles.ts';

const EVERY_QUARTER = '0 0/15 * * * ? *';
const LOOK_BACK_DAYS = 7;
/** Grant time of built-in rights. They have no giver and count as older than a day, so the first administrator can act immediately. */
const BY_INSTALLATION = '2000-01-01';
/** Setting with the ids of the default modules that have been seeded. */
const PLANTED = 'plantedModules';

/** Seeds each default module once: deleted ones are not restored. */
async function seedModules(tx: Tx): Promise<void> {
  const stored = await tx.selectFrom('setting').where('key', '=', PLANTED).select('value').executeTakeFirst();
  const planted = new Set(Array.isArray(stored?.value) ? stored.value : []);
  const fresh = MODULES.filter((module) => !planted.has(module.id));
  if (fresh.length === 0) return;
  await tx
    .insertInto('module')
    .values(
      fresh.map((module) => ({
        ...module,
        id: String(module.id),
        parentId: module.parentId === null ? null : String(module.parentId),
        sort: module.id,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Default modules have fixed ids; later modules must not collide with them.
  await sql`select setval(pg_get_serial_sequence('module', 'id'), greatest(1000, (select max(id) from module)))`.execute(tx);
  const value = JSON.stringify(MODULES.map((module) => module.id));
  await tx
    .insertInto('setting')
    .values({ key: PLANTED, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Rights are seeded with a new role only, to keep changes of administrators. */
async function seedRoles(tx: Tx): Promise<void> {
  for (const { code, name, description, grants } of ROLES) {
    const role = await tx
      .insertInto('role')
      .values({ code, name, description, isBuiltin: true, seesWholeNetwork: true })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (role === undefined) continue;
    await writeGrants(tx, role.id, grants);
    await sealAsFound(tx, [{ kind: 'role', id: role.id }]);
  }
}

async function writeGrants(tx: Tx, roleId: string, grants: SeedRole['grants']): Promise<void> {
  const modules = await tx.selectFrom('module').select(['id', 'path', 'parentId']).execute();
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const byId = new Map(modules.map((module) => [module.id, module]));
  const granted = new Set<string>();
  const actions: { roleId: string; moduleId: string; action: Action; grantedAt: string }[] = [];
  for (const [path, words] of grants) {
    const page = byPath.get(path);
    if (page === undefined) continue;
    for (let module = byId.get(page.id); module !== undefined; module = module.parentId === null ? undefined : byId.get(module.parentId))
      granted.add(module.id);
    actions.push(...words.map((action) => ({ roleId, moduleId: page.id, action, grantedAt: BY_INSTALLATION })));
  }
  await tx
    .insertInto('roleModule')
    .values([...granted].map((moduleId) => ({ roleId, moduleId })))
    .execute();
  await tx.insertInto('roleAction').values(actions).execute();
}

/** Resets pages, actions and area of a built-in role to their defaults. Returns its id; the caller must seal it. */
export async function resetRoleGrants(tx: Tx, code: string): Promise<string> {
  const { id } = await tx
    .insertInto('role')
    .values({ code, name: code, isBuiltin: true, seesWholeNetwork: true })
    .onConflict((conflict) =>
      conflict.column('code').doUpdateSet({ seesWholeNetwork: true, isBuiltin: true, areaWidenedAt: BY_INSTALLATION, areaWidenedBy: null }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const table of ['roleAction', 'roleModule', 'roleScope'] as const) await tx.deleteFrom(table).where('roleId', '=', id).execute();
  await writeGrants(tx, id, ROLES.find((role) => role.code === code)?.grants ?? new Map());
  return id;
}

async function seedDictionary(tx: Tx): Promise<void> {
  await tx
    .insertInto('obisCode')
    .values(
      [...READING_ITEMS.map((item) => ({ ...item, enabled: true })), ...CATALOGUE_ITEMS].map((item, sort) => ({
        ...item,
        sort,
        isBuiltin: true,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .insertInto('eventCode')
    .values(EVENT_CODES)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (const { body, ...profile } of SOUTHBOUND_PROFILES) {
    await tx
      .insertInto('southboundProfile')
      .values({ ...profile, body: JSON.stringify(body), isBuiltin: true })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ body: JSON.stringify(body), name: profile.name }))
      .execute();
  }
  await storeDcuParts(tx);
  const plan = { schedule: EVERY_QUARTER, lookBackDays: LOOK_BACK_DAYS, execution: 'cache_then_hes', isBuiltin: true } as const;
  await tx
    .insertInto('collectPlan')
    .values([
      { ...plan, name: 'Daily freeze', type: 'daily' },
      { ...plan, name: 'Load profile A', type: 'lpa' },
      { ...plan, name: 'Energy profile', type: 'energy' },
    ])
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  await tx
    .insertInto('setting')
    .values({ key: 'timeZone', value: JSON.stringify(Intl.DateTimeFormat().resolvedOptions().timeZone) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

/** Stores the parts of every DCU profile, imported ones included: a new version of the head-end may know more parts. */
async function storeDcuParts(tx: Tx): Promise<void> {
  const rows = await tx.selectFrom('southboundProfile').where('deviceKind', '=', 'dcu').select(['id', 'key', 'body']).execute();
  const profiles = rows.map((row) => ({ ...row, body: row.body as unknown as SouthboundBody })); // as: only bodies of this form are written
  for (const { id, key } of profiles)
    await tx
      .updateTable('southboundProfile')
      .set({ parts: partsOfBody(resolveBody(key, profiles)) })
      .where('id', '=', id)
      .execute();
}

export interface FirstAdministrator {
  /** Default `admin`. */
  adminName?: string;
  adminPassword: string | undefined;
}

/** Creates the first administrator. A generated password is shown once, stored only as a hash, and must be changed at the first sign-in. */
async function seedAdmin(tx: Tx, { adminName: username = 'admin', adminPassword: given }: FirstAdministrator): Promise<Seeded> {
  const anybody = await tx.selectFrom('appUser').select('id').limit(1).executeTakeFirst();
  if (anybody !== undefined) return { username: undefined, generatedPassword: undefined };
  const password = given ?? generatePassword();
  const admin = await tx
    .insertInto('appUser')
    .values({
      username,
      name: 'Administrator',
      passwordHash: await hashPassword(password),
      mustChangePassword: given === undefined,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`insert into user_role (user_id, role_id, granted_at) select ${admin.id}, id, ${BY_INSTALLATION}::timestamptz from role where code = 'ADMIN'`.execute(
    tx,
  );
  await sealAsFound(tx, [{ kind: 'user', id: admin.id }]);
  return { username, generatedPassword: given === undefined ? password : undefined };
}

export interface Seeded {
  /** Name of the administrator that this start created; undefined when users existed. */
  username: string | undefined;
  /** Set when this start created the administrator with a generated password. */
  generatedPassword: string | undefined;
}

/**
 * Seeds the initial data of an installation. Idempotent: of existing rows, only built-in southbound profiles and the parts of DCU profiles are brought up to date.
 */
export async function seed(db: Db, options: FirstAdministrator): Promise<Seeded> {
  return db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'seed');
    await seedModules(tx);
    await seedRoles(tx);
    await seedDictionary(tx);
    await seedReferenceTypes(tx);
    return seedAdmin(tx, options);
  });
}
