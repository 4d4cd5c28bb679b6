import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { findUserOfSession } from '../../apps/server/src/http/access/queries.ts';
import { loadSettings } from '../../apps/server/src/db/settings.ts';
import { sealEverything } from '../../apps/server/src/db/right-seals.ts';
import { createAccessTokens } from '../../apps/server/src/platform/access-token.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { Db, User } from '../../apps/server/src/db/context.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';

export const BENCH_MASTER_KEY = 'b'.repeat(64);
const HOUR_MS = 3_600_000;

export const benchKey = (): Buffer => chainKeyOf(createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')));

export interface BenchUser {
  token: string;
  user: User;
}

/** A user with every right over the whole network, or over one district, signed in for an hour. */
async function signedIn(pool: Pool, db: Db, name: string, district: string | undefined): Promise<BenchUser> {
  const code = `BENCH_${name}`;
  await pool.query(`insert into role (code, name, sees_whole_network) values ($1, $1, $2) on conflict do nothing`, [
    code,
    district === undefined,
  ]);
  const ofRole = `select (select id from role where code = $1)`;
  await pool.query(
    `insert into role_module ${ofRole}, module_id from role_module where role_id = (select id from role where code = 'ADMIN') on conflict do nothing`,
    [code],
  );
  await pool.query(
    `insert into role_action ${ofRole}, module_id, action from role_action where role_id = (select id from role where code = 'ADMIN') on conflict do nothing`,
    [code],
  );
  if (district !== undefined)
    await pool.query(`insert into role_scope (role_id, level_id) ${ofRole}, id from network_level where code = $2 on conflict do nothing`, [
      code,
      district,
    ]);
  await pool.query(`insert into app_user (username, name, password_hash) values ($1, $1, 'none') on conflict do nothing`, [name]);
  await pool.query(
    `insert into user_role (user_id, role_id, granted_at) select u.id, r.id, '2000-01-01' from app_user u, role r where u.username = $1 and r.code = $2 on conflict do nothing`,
    [name, code],
  );
  const sessionId = randomUUID();
  const now = systemClock.now();
  await pool.query(
    `insert into user_session (id, user_id, refresh_hash, expires_at) select $1, id, '\\x00', $2 from app_user where username = $3`,
    [sessionId, new Date(now + HOUR_MS), name],
  );
  await db.transaction().execute((tx) => sealEverything(tx));
  const user = await findUserOfSession({ db, settings: await loadSettings(db) }, sessionId, new Date(now));
  if (user === undefined) throw new Error(`${name} failed to sign in`);
  const tokens = createAccessTokens(createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')), systemClock);
  return { token: await tokens.issue(sessionId), user };
}

/** Half of the users see the whole network, half one district each. */
export async function signInMany(pool: Pool, db: Db, count: number): Promise<BenchUser[]> {
  const users: BenchUser[] = [];
  for (let at = 0; at < count; at++) users.push(await signedIn(pool, db, `bench${at}`, at % 2 === 0 ? undefined : `BIG-${at + 1}`));
  return users;
}
