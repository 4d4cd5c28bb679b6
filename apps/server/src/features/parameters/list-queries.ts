import type { DcuConfigRow, DcuParameterRow, DcuTemplate } from '@hes/contract/action/dcu-config.ts';
import type { DcuOnlineStatus } from '@hes/contract/states/device.ts';
import { DCU_PARAMETERS, type ParameterState } from '@hes/contract/action/dcu-parameter.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import { openOrderOf } from '#db/open-order.ts';
import { containing, countUpTo, iso, isoOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { dcuUnder, visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

interface Filters {
  node?: Parameters<typeof dcuUnder>[0];
  dcuTypeId?: string | undefined;
  search?: string | undefined;
  differs?: boolean | undefined;
}

const counted = (state: 'differs' | 'failed') =>
  sql<number>`(select count(*)::int from dcu_parameter p where p.dcu_id = dcu.id and p.state = ${state})`;

export async function listDcus(db: Db, user: User, query: PageQuery & Filters) {
  let rows = db
    .selectFrom('dcu')
    .leftJoin('transformer', 'transformer.id', 'dcu.transformerId')
    .where(visible('dcu.transformerId', user))
    .where(dcuUnder(query.node));
  if (query.dcuTypeId) rows = rows.where('dcu.dcuTypeId', '=', query.dcuTypeId);
  if (query.search) {
    const like = containing(query.search);
    rows = rows.where((where) => where.or([where('dcu.sn', 'like', like.toUpperCase()), where('dcu.name', 'ilike', like)]));
  }
  if (query.differs === true)
    rows = rows.where(sql<boolean>`exists (select from dcu_parameter p where p.dcu_id = dcu.id and p.state in ('differs', 'failed'))`);
  const { column, direction } = orderOf(query.sort, { sn: 'dcu.sn', name: 'dcu.name' } as const, 'dcu.sn');
  const [items, total] = await Promise.all([
    rows
      .select([
        'dcu.id',
        'dcu.sn',
        'dcu.name',
        'transformer.name as transformerName',
        sql<DcuOnlineStatus>`dcu.online_status`.as('onlineStatus'),
        counted('differs').as('differs'),
        counted('failed').as('failed'),
        openOrderOf({ dcu: 'dcu.id' }, ORDERS.dcu_config_write.page).as('openOrder'),
        sql<Date | null>`(select max(p.read_at) from dcu_parameter p where p.dcu_id = dcu.id)`.as('readAt'),
      ])
      .orderBy(column, direction)
      .orderBy('dcu.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('dcu.id')),
  ]);
  return {
    items: items.map((row): DcuConfigRow => ({ ...row, readAt: isoOrNull(row.readAt) })),
    ...total,
    page: query.page,
    size: query.size,
  };
}

/** Types of the DCUs in the user's area. */
export const findTypes = (db: Db, user: User) =>
  db
    .selectFrom('dcuType')
    .where((where) =>
      where.exists(
        where
          .selectFrom('dcu')
          .whereRef('dcu.dcuTypeId', '=', 'dcuType.id')
          .where(visible('dcu.transformerId', user))
          .select(sql`1`.as('one')),
      ),
    )
    .select(['dcuType.id', 'dcuType.name'])
    .orderBy('dcuType.name')
    .execute();

export const findDcus = (db: Db, user: User, ids: readonly string[]) =>
  db
    .selectFrom('dcu')
    .where(visible('dcu.transformerId', user))
    .where(sql<boolean>`dcu.id = any(${[...ids]}::bigint[])`)
    .select(['dcu.id', 'dcu.sn'])
    .orderBy('dcu.sn')
    .execute();

/** All parameters in the order of the catalogue; those without a reading are `unknown`. */
export async function findParameters(db: Db, dcuId: string): Promise<DcuParameterRow[]> {
  const rows = await db.selectFrom('dcuParameter').where('dcuId', '=', dcuId).selectAll().execute();
  const known = new Map(rows.map((row) => [row.key, row]));
  return DCU_PARAMETERS.map(({ key }) => {
    const row = known.get(key);
    return {
      key,
      desired: row?.desired ?? null,
      actual: row?.actual ?? null,
      state: (row?.state ?? 'unknown') as ParameterState, // as: the table's check admits no other
      reasonCode: row?.reasonCode ?? null,
      readAt: isoOrNull(row?.readAt ?? null),
      writtenAt: isoOrNull(row?.writtenAt ?? null),
    };
  });
}

export async function listTemplates(db: Db, id?: string): Promise<DcuTemplate[]> {
  let rows = db.selectFrom('dcuParamTemplate as t').leftJoin('appUser', 'appUser.id', 't.createdBy');
  if (id !== undefined) rows = rows.where('t.id', '=', id);
  const found = await rows
    .select(['t.id', 't.name', 't.parameters', 'appUser.name as createdByName', 't.updatedAt', 't.version'])
    .orderBy('t.name')
    .execute();
  return found.map(({ parameters, updatedAt, ...row }) => ({
    ...row,
    values: parameters as Record<string, string>, // as: only saveTemplate writes it
    updatedAt: iso(updatedAt),
  }));
}

interface Writing {
  dcuIds: readonly string[];
  key: string;
  value: string;
  userId: string;
}

/** Marks a value as being written to these DCUs. */
export async function markWriting(tx: Tx, { dcuIds, key, value, userId }: Writing): Promise<void> {
  await sql`insert into dcu_parameter (dcu_id, key, desired, state, written_by)
    select d, ${key}, ${value}, 'writing', ${userId} from unnest(${[...dcuIds]}::bigint[]) as d
    on conflict (dcu_id, key) do update set desired = excluded.desired, state = 'writing', reason_code = null, written_by = excluded.written_by`.execute(
    tx,
  );
}

/** Stores a template. Returns null when its name is taken by a template other than `replaces`. */
export async function upsertTemplate(
  tx: Tx,
  { name, values, replaces }: { name: string; values: Readonly<Record<string, string>>; replaces?: string | undefined },
  userId: string,
): Promise<string | null> {
  const saved = await sql<{ id: string }>`
    insert into dcu_param_template (name, parameters, created_by) values (${name}, ${JSON.stringify(values)}::jsonb, ${userId})
    on conflict (lower(name)) do update set parameters = excluded.parameters, updated_at = now(), version = dcu_param_template.version + 1
      where dcu_param_template.id = ${replaces ?? null}::bigint
    returning id`.execute(tx);
  return saved.rows[0]?.id ?? null;
}

/** Returns the name of the deleted template; undefined when the id is unknown. */
export async function deleteTemplate(tx: Tx, id: string): Promise<string | undefined> {
  const deleted = await tx.deleteFrom('dcuParamTemplate').where('id', '=', id).returning('name').executeTakeFirst();
  return deleted?.name;
}
