import { sql, type RawBuilder } from 'kysely';
import type { Db } from '#db/context.ts';
import type { Secrets } from '#platform/secrets.ts';
import { LONGEST_OPENER, renewOpener } from '#storage/frames.ts';

const ROWS_A_BATCH = 200;

/** Where secrets lie, by the key of their rows, and the purpose each is bound to. */
interface SealedColumn {
  table: string;
  key: string;
  column: string;
  purpose: RawBuilder<string>;
}

const deviceColumns = (table: 'dcu' | 'meter'): SealedColumn[] =>
  (['ek', 'ak', 'password', 'master'] as const).map((name) => ({
    table,
    key: 'id',
    column: `${name === 'master' ? 'master_key' : name}_secret`,
    purpose: sql<string>`${sql.lit(`${table}/`)} || sn || ${sql.lit(`/${name}`)}`,
  }));

const COLUMNS: readonly SealedColumn[] = [
  { table: 'second_factor', key: 'user_id', column: 'secret', purpose: sql<string>`'user/' || user_id || '/totp'` },
  ...deviceColumns('dcu'),
  ...deviceColumns('meter'),
  { table: 'meter_key_transfer', key: 'meter_id', column: 'ek_secret', purpose: sql<string>`'meter/' || sn || '/ek'` },
  { table: 'meter_key_transfer', key: 'meter_id', column: 'ak_secret', purpose: sql<string>`'meter/' || sn || '/ak'` },
  { table: 'held_call', key: 'id', column: 'content', purpose: sql<string>`'held-call/' || route || '/' || requested_by` },
  { table: 'import_job', key: 'id', column: 'content', purpose: sql<string>`'import/' || entity || '/' || user_id` },
];
const TRACES = ['trace', 'command_trace'] as const;

export interface ResealTools {
  db: Db;
  secrets: Secrets;
  /** Called between batches, so that others come to their turn; false: the server stops. */
  goOn(): Promise<boolean>;
}

export interface Resealed {
  renewed: number;
  /** Neither key opens them: damaged, or put there by others. */
  unreadable: number;
}

const countRenewed = (tx: Db, renewed: number) =>
  tx
    .updateTable('masterKey')
    .set((expression) => ({ resealed: sql<string>`${expression.ref('resealed')} + ${renewed}` }))
    .where('state', '=', 'current')
    .execute();

function renewOrNothing<T>(renew: () => T): T | 'unreadable' {
  try {
    return renew();
  } catch {
    return 'unreadable';
  }
}

/** One batch of a column behind `after`: each row changes only if it still holds what was read. Answers the last key, undefined at the end. */
async function resealColumn(
  { db, secrets }: ResealTools,
  { table, key, column, purpose }: SealedColumn,
  after: string,
  sum: Resealed,
): Promise<string | undefined> {
  const [from, id, secret] = [sql.table(table), sql.ref(key), sql.ref(column)];
  const { rows } = await sql<{ rowId: string; sealed: Buffer; purpose: string }>`
    select ${id}::text as row_id, ${secret} as sealed, ${purpose} as purpose from ${from}
    where ${id} > ${after}::bigint and substring(${secret} from 1 for ${secrets.mark.length}) <> ${secrets.mark}
    order by ${id} limit ${ROWS_A_BATCH}`.execute(db);
  const changes: { id: string; sealed: Buffer; renewed: Buffer }[] = [];
  for (const row of rows) {
    const renewed = renewOrNothing(() => secrets.renew(row.sealed, row.purpose));
    if (renewed === 'unreadable') sum.unreadable += 1;
    else changes.push({ id: row.rowId, sealed: row.sealed, renewed });
  }
  if (changes.length > 0)
    await db.transaction().execute(async (tx) => {
      await sql`
        update ${from} t set ${sql.ref(column)} = g.renewed
        from unnest(${changes.map((row) => row.id)}::bigint[], ${changes.map((row) => row.sealed)}::bytea[], ${changes.map((row) => row.renewed)}::bytea[])
          as g (id, sealed, renewed)
        where t.${id} = g.id and t.${secret} = g.sealed`.execute(tx);
      await countRenewed(tx, changes.length);
    });
  sum.renewed += changes.length;
  return rows.at(-1)?.rowId;
}

/** The same for the keys that traces keep of their devices. */
async function resealTraces(
  { db, secrets }: ResealTools,
  table: (typeof TRACES)[number],
  after: string,
  sum: Resealed,
): Promise<string | undefined> {
  const from = sql.table(table);
  const { rows } = await sql<{ id: string; at: Date; head: Buffer }>`
    select id, at, substring(frames from 1 for ${LONGEST_OPENER}) as head from ${from} where id > ${after}::uuid order by id limit ${ROWS_A_BATCH}`.execute(
    db,
  );
  const changes: { id: string; head: Buffer; prefix: Buffer; replaced: number }[] = [];
  for (const { id, head } of rows) {
    const renewed = renewOrNothing(() => renewOpener(head, secrets));
    if (renewed === 'unreadable') sum.unreadable += 1;
    else if (renewed !== undefined) changes.push({ id, head: head.subarray(0, renewed.replaced), ...renewed });
  }
  if (changes.length > 0)
    await db.transaction().execute(async (tx) => {
      await sql`
        update ${from} t set frames = g.prefix || substring(t.frames from g.replaced + 1)
        from unnest(${changes.map((row) => row.id)}::uuid[], ${changes.map((row) => row.head)}::bytea[], ${changes.map((row) => row.prefix)}::bytea[],
          ${changes.map((row) => row.replaced)}::int[]) as g (id, head, prefix, replaced)
        where t.id = g.id and substring(t.frames from 1 for g.replaced) = g.head`.execute(tx);
      await countRenewed(tx, changes.length);
    });
  sum.renewed += changes.length;
  return rows.at(-1)?.id;
}

/** Seals everything at rest with the current key, batch by batch. Undefined: the server stops; the next start goes on with what is left. */
export async function resealAll(tools: ResealTools): Promise<Resealed | undefined> {
  const sum: Resealed = { renewed: 0, unreadable: 0 };
  const parts = [
    ...COLUMNS.map((column) => ({ first: '0', batch: (after: string) => resealColumn(tools, column, after, sum) })),
    ...TRACES.map((table) => ({
      first: '00000000-0000-0000-0000-000000000000',
      batch: (after: string) => resealTraces(tools, table, after, sum),
    })),
  ];
  for (const { first, batch } of parts) {
    for (let after: string | undefined = first; after !== undefined; after = await batch(after))
      if (!(await tools.goOn())) return undefined;
  }
  return sum;
}

/** Relay commands that were ordered before the rotation and may still be executed: their seals are of the former key. */
export async function hasFormerOrders(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from relay_command c join task t on t.id = c.task_id
    where c.valid_until > now() and t.created_at < (select began_at from master_key where state = 'current') limit 1`.execute(db);
  return rows.length > 0;
}
