import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

const TABLES = `
  select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attname) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migration'
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  group by c.oid order by 1`;
const SEQUENCES = `
  select format('%I', sequencename) as name, last_value::text as last from pg_sequences where schemaname = 'public' and last_value is not null`;

/** Replaces all rows of a database by those of another one with the same schema, without firing triggers. Both pools are of the owner. */
export async function copyRows(source: Pool, target: Pool): Promise<void> {
  const { rows: tables } = await source.query<{ name: string; columns: string }>(TABLES);
  const { rows: sequences } = await source.query<{ name: string; last: string }>(SEQUENCES);
  const [from, to] = [await source.connect(), await target.connect()];
  try {
    await to.query('begin');
    await to.query("set local session_replication_role = 'replica'");
    for (const { name } of tables) await to.query(`delete from ${name}`);
    for (const { name, columns } of tables) {
      await pipeline(
        from.query(copyTo(`copy (select ${columns} from ${name}) to stdout`)),
        to.query(copyFrom(`copy ${name} (${columns}) from stdin`)),
      );
    }
    for (const { name, last } of sequences) await to.query('select setval($1::regclass, $2)', [name, last]);
    await to.query('commit');
  } finally {
    from.release();
    to.release();
  }
}
