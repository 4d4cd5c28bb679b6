import type { ProgramDetail, ProgramRow, TokenState } from '@hes/contract/manager/program.ts';
import type { RoleRef } from '@hes/contract/manager/user.ts';
import { PROGRAM_DANGERS } from '@hes/contract/core/guard.ts';
import { sql } from 'kysely';
import { containing, countUpTo, iso, isoOrNull, type PageQuery } from '#db/paging.ts';
import { isIntact, sealFacts } from '#db/right-seals.ts';
import { userWithin } from '#db/user-scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

const programs = (db: Db, caller: User) =>
  db
    .selectFrom('appUser')
    .where('appUser.kind', '=', 'program')
    .where('appUser.deletedAt', 'is', null)
    .where(userWithin('appUser.id', caller));

/** A value over the tokens of a program that are valid now. */
const ofLiveTokens = <T>(value: string, now: Date) =>
  sql<T>`(select ${sql.raw(value)} from program_token t where t.user_id = app_user.id and t.revoked_at is null and t.expires_at > ${now})`;

const withColumns = (rows: ReturnType<typeof programs>, now: Date) =>
  rows.select([
    'appUser.id',
    'appUser.username',
    'appUser.name',
    'appUser.mayOrder',
    'appUser.lock',
    'appUser.lockReason',
    'appUser.createdAt',
    'appUser.version',
    sql<RoleRef[]>`coalesce((select jsonb_agg(jsonb_build_object('id', r.id::text, 'code', r.code, 'name', r.name) order by r.code)
      from user_role ur join role r on r.id = ur.role_id where ur.user_id = app_user.id), '[]')`.as('roles'),
    ofLiveTokens<number>('count(*)::int', now).as('liveTokens'),
    ofLiveTokens<Date | null>('max(t.expires_at)', now).as('expiresAt'),
    sql<Date | null>`(select max(t.last_used_at) from program_token t where t.user_id = app_user.id)`.as('lastUsedAt'),
    sealFacts('user', sql`app_user.id`).as('facts'),
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

const toRow = (db: Db, { facts, mayOrder, ...row }: Selected): ProgramRow => ({
  ...row,
  mayOrder: PROGRAM_DANGERS.filter((danger) => mayOrder.includes(danger)),
  expiresAt: isoOrNull(row.expiresAt),
  lastUsedAt: isoOrNull(row.lastUsedAt),
  createdAt: iso(row.createdAt),
  isSealed: isIntact(db, { kind: 'user', id: row.id }, facts),
});

export async function listPrograms(db: Db, caller: User, query: PageQuery & { search?: string | undefined }, now: Date) {
  const { search, page, size } = query;
  const rows = programs(db, caller).$if(search !== undefined, (found) =>
    found.where((where) =>
      where.or([where('username', 'ilike', containing(search ?? '')), where('name', 'ilike', containing(search ?? ''))]),
    ),
  );
  const ordered = withColumns(rows, now)
    .orderBy('appUser.username')
    .orderBy('appUser.id')
    .limit(size)
    .offset((page - 1) * size);
  const [items, counted] = await Promise.all([ordered.execute(), countUpTo(db, rows.select('appUser.id'))]);
  return { items: items.map((row) => toRow(db, row)), ...counted, page, size };
}

const stateOf = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date }, now: Date): TokenState =>
  revokedAt !== null ? 'revoked' : expiresAt > now ? 'live' : 'expired';

/** A program in the caller's area, with its tokens. */
export async function findProgram(db: Db, caller: User, id: string, now: Date): Promise<ProgramDetail | undefined> {
  const row = await withColumns(programs(db, caller), now).where('appUser.id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const tokens = await db
    .selectFrom('programToken as t')
    .leftJoin('appUser as u', 'u.id', 't.createdBy')
    .where('t.userId', '=', id)
    .select(['t.id', 't.name', 't.createdAt', 't.expiresAt', 't.revokedAt', 't.lastUsedAt', 't.lastUsedIp', 't.addressRanges'])
    .select('u.name as createdByName')
    .orderBy('t.id', 'desc')
    .execute();
  return {
    ...toRow(db, row),
    tokens: tokens.map(({ revokedAt, ...token }) => ({
      ...token,
      state: stateOf({ revokedAt, expiresAt: token.expiresAt }, now),
      createdAt: iso(token.createdAt),
      expiresAt: iso(token.expiresAt),
      lastUsedAt: isoOrNull(token.lastUsedAt),
    })),
  };
}

export interface NewToken {
  userId: string;
  name: string;
  hash: Buffer;
  addressRanges: string[];
  createdAt: Date;
  createdBy: string;
  expiresAt: Date;
}

export const insertToken = async (tx: Tx, token: NewToken): Promise<string> =>
  (await tx.insertInto('programToken').values(token).returning('id').executeTakeFirstOrThrow()).id;

/** Shortens the validity of a token; a token that expires earlier keeps its end. */
export const endTokenAt = (tx: Tx, id: string, at: Date) =>
  tx.updateTable('programToken').set({ expiresAt: at }).where('id', '=', id).where('expiresAt', '>', at).execute();

export const setRevoked = (tx: Tx, id: string, now: Date) =>
  tx.updateTable('programToken').set({ revokedAt: now }).where('id', '=', id).execute();
