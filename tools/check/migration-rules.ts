import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'libpg-query';
import { FIRST_WITH_PHASE, phaseOf } from '../../apps/server/src/db/migration.ts';

/** A node of PostgreSQL's syntax tree: one name and its fields, or the fields themselves. */
type Tree = { readonly [name: string]: unknown };

/** Changes of an existing table that older head-ends do not notice and that rewrite nothing. */
const HARMLESS = new Set([
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_SetStatistics',
  'AT_SetRelOptions',
  'AT_SetOptions',
  'AT_ValidateConstraint',
]);
/** Functions whose value is the same for all rows of a statement, so that a default by them rewrites no row. */
const STABLE = new Set(['now', 'statement_timestamp', 'transaction_timestamp']);

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const treeOf = (value: unknown): Tree => (isTree(value) ? value : {});
const listOf = (value: unknown): Tree[] => (Array.isArray(value) ? value.map(treeOf) : []);

/** All nodes below a value with one of the names, as their fields. */
function findAll(value: unknown, names: ReadonlySet<string>): [name: string, fields: Tree][] {
  if (Array.isArray(value)) return value.flatMap((each) => findAll(each, names));
  if (!isTree(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(names.has(name) && isTree(inner) ? [[name, inner] as [string, Tree]] : []),
    ...findAll(inner, names),
  ]);
}
const hasFunction = (value: unknown): boolean =>
  findAll(value, new Set(['FuncCall'])).some(
    ([, call]) => !STABLE.has(String(treeOf(listOf(call['funcname']).at(-1)?.['String'])['sval'])),
  );

const tableOf = (fields: Tree): string => String(treeOf(fields['relation'])['relname']);

function faultsOfColumn(column: Tree): string[] {
  const constraints = listOf(column['constraints']).map((each) => treeOf(each['Constraint']));
  const kinds = new Set(constraints.map(({ contype }) => contype));
  const name = String(column['colname']);
  const byDefault = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  return [
    kinds.has('CONSTR_NOTNULL') &&
      byDefault === undefined &&
      `column ${name} is NOT NULL without a default: older head-ends do not write it`,
    byDefault !== undefined &&
      hasFunction(byDefault['raw_expr']) &&
      `the default of column ${name} differs per row, which rewrites the table`,
    (kinds.has('CONSTR_GENERATED') || kinds.has('CONSTR_IDENTITY')) && `column ${name} is generated, which rewrites the table`,
    (kinds.has('CONSTR_UNIQUE') || kinds.has('CONSTR_PRIMARY')) && `column ${name} builds an index while its table is locked`,
  ].filter((fault) => fault !== false);
}

function faultsOfCommand(command: Tree): string[] {
  const kind = String(command['subtype']);
  const def = treeOf(command['def']);
  if (kind === 'AT_AddColumn') return faultsOfColumn(treeOf(def['ColumnDef']));
  if (kind === 'AT_AddConstraint' && treeOf(def['Constraint'])['skip_validation'] === true) return [];
  return HARMLESS.has(kind) ? [] : [`${kind.replace('AT_', '')} changes what older head-ends work with, or reads the whole table`];
}

/** Faults of one statement of an expansion. `own`: tables that the migration itself creates. */
function faultsOfExpansion(statement: Tree, own: ReadonlySet<string>): string[] {
  const [kind = '', value] = Object.entries(statement)[0] ?? [];
  const fields = treeOf(value);
  if (kind === 'DropStmt') return ['it drops: older head-ends may need that'];
  if (kind === 'RenameStmt') return ['it renames: older head-ends know the former name'];
  if (kind === 'TruncateStmt') return ['it deletes rows'];
  if (kind === 'DoStmt') return ['a DO block cannot be judged'];
  if (kind === 'IndexStmt' && !own.has(tableOf(fields)))
    return ['an index of an existing table locks it: build it by a backfill (create index concurrently if not exists)'];
  if (kind === 'AlterTableStmt' && !own.has(tableOf(fields)))
    return listOf(fields['cmds']).flatMap((each) => faultsOfCommand(treeOf(each['AlterTableCmd'])));
  return findAll(statement, new Set(['UpdateStmt', 'DeleteStmt', 'MergeStmt']))
    .filter(([, change]) => !own.has(tableOf(change)))
    .map(() => 'it changes existing rows, in one transaction: that is a backfill');
}

function faultsOfBackfill(statements: readonly Tree[]): string[] {
  const [statement] = statements;
  if (statement === undefined || statements.length !== 1) return ['a backfill is one statement, which is repeated until it changes no row'];
  const index = treeOf(statement['IndexStmt']);
  if (index['concurrent'] === true) return index['if_not_exists'] === true ? [] : ['the index needs "if not exists", to be repeated'];
  const changes = ['UpdateStmt', 'DeleteStmt', 'InsertStmt', 'MergeStmt'].some((kind) => kind in statement);
  if (!changes) return ['a backfill changes rows or builds an index concurrently'];
  return JSON.stringify(statement).includes('"limitCount"') ? [] : ['a backfill changes a batch: limit its rows'];
}

/** What is wrong with a migration; `numbers` are those of all migrations. */
export async function faultsOf(number: number, sql: string, numbers: ReadonlySet<number>): Promise<string[]> {
  if (number < FIRST_WITH_PHASE) return [];
  const phase = phaseOf(sql);
  if (phase === undefined) return ['it declares no phase: expand, backfill or contract, needs NNNN'];
  if (phase.kind === 'contract')
    return numbers.has(phase.needs) && phase.needs < number ? [] : [`it needs ${phase.needs}, which is no earlier migration`];
  const statements = (treeOf(await parse(sql))['stmts'] as Tree[]).map(({ stmt }) => treeOf(stmt)); // as: a list in each result of the parser
  if (phase.kind === 'backfill') return faultsOfBackfill(statements);
  const own = new Set(statements.flatMap((each) => ('CreateStmt' in each ? [tableOf(treeOf(each['CreateStmt']))] : [])));
  return statements.flatMap((each) => faultsOfExpansion(each, own));
}

/** Faults of all migrations of a folder, as lines. */
export async function judgeMigrations(folder: string): Promise<string[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const numbers = new Set(files.map((name) => Number(name.slice(0, 4))));
  const faults = files.map(async (name) => {
    const found = await faultsOf(Number(name.slice(0, 4)), readFileSync(path.join(folder, name), 'utf8'), numbers);
    return found.map((fault) => `${name}: ${fault}`);
  });
  return (await Promise.all(faults)).flat();
}
