import type { openPool } from '../../apps/server/src/db/pool.ts';

type Pool = ReturnType<typeof openPool>;

const COLUMNS = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
         case when a.attidentity <> '' then 'identity' else pg_get_expr(d.adbin, d.adrelid) end as value,
         pg_get_partkeydef(c.oid) as partitioned
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname, a.attnum`;

const CONSTRAINTS = `
  select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(k.oid) as text
    from pg_constraint k join pg_class c on c.oid = k.conrelid
   where c.relnamespace = 'public'::regnamespace and not c.relispartition and contype in ('p', 'u', 'f', 'c', 'x')
   order by 1, contype, 2`;

const INDEXES = `
  select c.relname as "table", pg_get_indexdef(i.indexrelid) as text
    from pg_index i join pg_class c on c.oid = i.indrelid
   where c.relnamespace = 'public'::regnamespace and not c.relispartition
     and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
   order by 1, 2`;

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  value: string | null;
  partitioned: string | null;
}

/** The migrated schema as readable SQL: the review of a migration sees its result. */
export async function schemaText(pool: Pool): Promise<string> {
  const { rows: columns } = await pool.query<Column>(COLUMNS);
  const { rows: constraints } = await pool.query<{ table: string; name: string; text: string }>(CONSTRAINTS);
  const { rows: indexes } = await pool.query<{ table: string; text: string }>(INDEXES);
  const tables = [...Map.groupBy(columns, ({ table }) => table)].map(([table, own]) => {
    const lines = [
      ...own.map((column) => `${column.name} ${column.type}${column.required ? ' not null' : ''}${defaultOf(column)}`),
      ...constraints.filter((constraint) => constraint.table === table).map(({ name, text }) => `constraint ${name} ${text}`),
    ];
    const partition = own[0]?.partitioned ? ` partition by ${own[0].partitioned}` : '';
    const extra = indexes.filter((index) => index.table === table).map(({ text }) => `${text};\n`);
    return `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${partition};\n${extra.join('')}`;
  });
  return tables.join('\n');
}

function defaultOf({ value }: Column): string {
  if (value === null) return '';
  return value === 'identity' ? ' generated as identity' : ` default ${value}`;
}
