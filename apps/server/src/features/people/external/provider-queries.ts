import { NO_DIRECTORY, type ProviderConfig, type GroupMapping } from '@hes/contract/manager/identity-provider.ts';
import type { ProviderFailure, ProviderKind } from '@hes/contract/states/identity-provider.ts';
import { sql } from 'kysely';
import { numbersOf } from '#db/right-seals.ts';
import type { Context, Db, Tx } from '#db/context.ts';
import { containing } from '#db/paging.ts';

/** What the sealed content holds: everything that decides about rights. */
export interface ProviderContent {
  version: number;
  config: ProviderConfig;
  mapping: GroupMapping[];
  /** Secret of the client; empty: it has none. */
  secret: string;
  /** The user who last changed it: grantor of the roles that it gives. */
  changedBy: string;
}

interface StoredRow {
  id: string;
  name: string;
  kind: ProviderKind;
  ref: string;
  secret: Buffer;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  failureCode: ProviderFailure | null;
  failureDetail: string | null;
  version: number;
  users: number;
}

/** `content` is undefined if the row was changed outside the product, or replaced by an older one. */
export type Provider = Omit<StoredRow, 'secret'> & { content: ProviderContent | undefined };

type Reader = Pick<Context, 'secrets'> & { db: Db };

const purposeOf = (ref: string): string => `identity-provider/${ref}`;

/** Opens the content. The number of the newest version is kept outside of the database, so that an older row is refused. */
function opened({ secrets, db }: Reader, { secret, ...row }: StoredRow): Provider {
  const numbers = numbersOf(db);
  const subject = { kind: 'provider', id: row.id } as const;
  try {
    const content = JSON.parse(secrets.open(secret, purposeOf(row.ref)).toString()) as ProviderContent; // as: sealed by this file
    if (content.version !== row.version || BigInt(content.version) < BigInt(numbers.of(subject))) return { ...row, content: undefined };
    numbers.note(subject, String(content.version));
    return { ...row, content: { ...content, config: { ...NO_DIRECTORY, ...content.config } } };
  } catch {
    return { ...row, content: undefined };
  }
}

const rows = sql`select p.*, (select count(*)::int from external_identity e join app_user u on u.id = e.user_id
    where e.provider_id = p.id and e.ended_at is null and u.deleted_at is null) as users from identity_provider p`;

export async function findProviders(ctx: Reader, search = ''): Promise<Provider[]> {
  const found = await sql<StoredRow>`${rows} where p.name ilike ${containing(search)} order by lower(p.name)`.execute(ctx.db);
  return found.rows.map((row) => opened(ctx, row));
}

/** Reads one provider; within a transaction it is locked. */
export async function findProvider(ctx: Reader, id: string, isLocked = false): Promise<Provider | undefined> {
  const lock = isLocked ? sql`for update of p` : sql``;
  const found = await sql<StoredRow>`${rows} where p.id = ${id}::bigint ${lock}`.execute(ctx.db);
  return found.rows[0] && opened(ctx, found.rows[0]);
}

export interface ProviderValues {
  name: string;
  content: ProviderContent;
}

const sealed = ({ secrets }: Pick<Context, 'secrets'>, ref: string, content: ProviderContent): Buffer =>
  secrets.seal(Buffer.from(JSON.stringify(content)), purposeOf(ref));

export async function insertProvider(
  ctx: Pick<Context, 'secrets'>,
  tx: Tx,
  { name, content, kind, ref }: ProviderValues & { kind: ProviderKind; ref: string },
): Promise<string> {
  const { id } = await tx
    .insertInto('identityProvider')
    .values({ name, kind, ref, secret: sealed(ctx, ref, content), version: content.version })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateProvider = (ctx: Pick<Context, 'secrets'>, tx: Tx, { id, ref }: Pick<Provider, 'id' | 'ref'>, values: ProviderValues) =>
  tx
    .updateTable('identityProvider')
    .set({ name: values.name, secret: sealed(ctx, ref, values.content), version: values.content.version })
    .where('id', '=', id)
    .execute();

export const deleteProvider = (tx: Tx, id: string) => tx.deleteFrom('identityProvider').where('id', '=', id).execute();

/** Records what came of the last use. */
export const noteUse = (db: Db, id: string, now: Date, failed?: { failure: ProviderFailure; detail: string | null }) =>
  db
    .updateTable('identityProvider')
    .set(
      failed === undefined
        ? { lastSuccessAt: now, failureCode: null, failureDetail: null }
        : { lastFailureAt: now, failureCode: failed.failure, failureDetail: failed.detail },
    )
    .where('id', '=', id)
    .execute();
