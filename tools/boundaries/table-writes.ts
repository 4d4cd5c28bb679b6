import { parseSync, Visitor, type TemplateLiteral } from 'oxc-parser';
import type { ModuleGraph, SourceFile } from './module-graph.ts';
import { EXCEPTIONS, TABLE_OWNERS, type Exception } from './table-owners.ts';
import type { Violation } from './violation.ts';

export interface TableWrite {
  file: string;
  line: number;
  /** As the database names it; undefined where the code chooses the table at run time. */
  table: string | undefined;
}

const SOURCES = /^apps\/server\/src\/.*(?<!\.test)\.ts$/;
const SERVER = 'apps/server/src/';
const BUILDER_CALLS = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);
/** Stands in a text for an expression of a template. */
const EXPRESSION = '⁂';
/** A statement that writes. `for update of`, `do update set` and `grant update on` change no other table. */
const STATEMENT =
  /(?<!\b(?:for|for no key|do|grant|on|,)\s+)\b(?:insert\s+into|update|delete\s+from|merge\s+into|copy|truncate(?:\s+table)?)\s+(?:only\s+)?"?(?:public\.)?(⁂|[a-z_][a-z0-9_]*)/giu;

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const textOf = ({ quasis }: TemplateLiteral): string => quasis.map(({ value }) => value.cooked ?? value.raw).join(EXPRESSION);

/** Every insert, update, delete, merge, copy and truncate in a file, by the query builder and in texts of SQL. */
export function findTableWrites({ file, text }: Pick<SourceFile, 'file' | 'text'>, tables: ReadonlySet<string>): TableWrite[] {
  const found: TableWrite[] = [];
  const add = (table: string | undefined, start: number) => void found.push({ file, line: text.slice(0, start).split('\n').length, table });
  const readStatements = (statement: string, start: number) => {
    for (const { 1: target = '' } of statement.matchAll(STATEMENT))
      if (target === EXPRESSION) add(undefined, start);
      else if (tables.has(target)) add(target, start);
  };
  new Visitor({
    CallExpression({ callee, arguments: [target], start }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || !BUILDER_CALLS.has(callee.property.name)) return;
      const isName = target?.type === 'Literal' && typeof target.value === 'string';
      add(isName ? snakeCase(target.value.split(' ')[0] ?? '') : undefined, start);
    },
    Literal({ value, start }) {
      if (typeof value === 'string') readStatements(value, start);
    },
    TemplateLiteral: (template) => readStatements(textOf(template), template.start),
  }).visit(parseSync(file, text).program);
  return found;
}

const isWithin = (file: string, owner: string): boolean => file.startsWith(`${SERVER}${owner}/`);

/** Writers of a table outside of the folder that owns it, and exceptions that no longer occur. */
export function checkTableOwners(
  graph: ModuleGraph,
  owners: Readonly<Record<string, string>> = TABLE_OWNERS,
  exceptions: readonly Exception[] = EXCEPTIONS,
): Violation[] {
  const tables = new Set(Object.keys(owners));
  const writes = [...graph.values()].filter(({ file }) => SOURCES.test(file)).flatMap((source) => findTableWrites(source, tables));
  const used = new Set<string>();
  const isExcepted = ({ file, table }: TableWrite): boolean => {
    const matching = exceptions.filter(
      (exception) =>
        file === `${SERVER}${exception.file}` && (table === undefined ? exception.isChosenAtRunTime : exception.tables.includes(table)),
    );
    for (const exception of matching)
      for (const name of table === undefined ? exception.tables : [table]) used.add(`${exception.file} ${name}`);
    return matching.length > 0;
  };
  const foreign = writes.filter(
    (write) => !(write.table !== undefined && isWithin(write.file, owners[write.table] ?? '')) && !isExcepted(write),
  );
  return [
    ...foreign.map(({ file, line, table }) => ({
      rule: 'table-has-one-writer',
      file: `${file}:${line}`,
      detail:
        table === undefined ? 'writes a table that it chooses at run time' : `writes ${table}, which ${owners[table] ?? 'no folder'} owns`,
      why: "Only the owner of a table writes it (tools/boundaries/table-owners.ts): call a function of the owner's store or port.",
    })),
    ...exceptions.flatMap(({ file, tables: names }) =>
      names
        .filter((name) => !used.has(`${file} ${name}`))
        .map((name) => ({
          rule: 'table-has-one-writer',
          file: `${SERVER}${file}`,
          detail: `does not write ${name} as a foreign table`,
          why: 'The exception no longer occurs: delete it from tools/boundaries/table-owners.ts.',
        })),
    ),
  ];
}
