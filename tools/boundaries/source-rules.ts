import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { parseSync, Visitor, type CallExpression, type Expression, type Node } from 'oxc-parser';
import type { SourceFile } from './module-graph.ts';
import type { Violation } from './violation.ts';

const LIBERTIES = 'any-and-bang-have-a-reason';
/** Attributes that are displayed or read by screen readers. */
const SPOKEN =
  /^(?:title|placeholder|alt|label|text|hint|note|description|message|tooltip|extra|action|effect|purpose|unit|suffix|prefix|aria-(?:label|description|roledescription|valuetext))$/;
/** Units of measure and names of media are the same in both languages. */
const SAME_IN_BOTH = /\b(?:k?Wh?|k?varh?|kVA|Hz|dBm|PLC|RF)\b/g;

/** Rules for single files that no linter in use provides. */
export function checkSource({ file, text }: SourceFile): Violation[] {
  return [
    ...barrels(file),
    ...nakedTodos(file, text),
    ...obisLiterals(file, text),
    ...idLiterals(file, text),
    ...unexplainedLiberties(file, text),
    ...strayWords(file, text),
    ...columnRanks(file, text),
    ...repeatedPresses(file, text),
    ...strayLocks(file, text),
    ...driverInRequests(file, text),
    ...strayStatements(file, text),
    ...pageAddresses(file, text),
  ];
}

function barrels(file: string): Violation[] {
  if (!/(?:^|\/)index\.(?:ts|tsx|mjs)$/.test(file)) return [];
  return [
    {
      rule: 'no-barrels',
      file,
      detail: 'is a barrel',
      why: 'An index file causes cycles and hides locations: import the file itself.',
    },
  ];
}

/** Split so that this file does not match itself. */
const leftWork = /(?:\/\/|\*).*\b(?:T[O]DO|F[I]XME|X[X]X)\b(?!.*#\d)/;

function nakedTodos(file: string, text: string): Violation[] {
  return lines(text).flatMap((line, at) =>
    leftWork.test(line)
      ? [
          {
            rule: 'left-work-has-an-issue',
            file: `${file}:${at + 1}`,
            detail: line.trim(),
            why: 'Remaining work needs an issue: write its number, #12.',
          },
        ]
      : [],
  );
}

/** Products. Protocol tests, the demonstration meter of the command line and sample data state the octets that they mean. */
const OBIS_USERS = /^(?:apps\/(?:server|simulator|web)|packages\/contract)\/src\//;
/** Declarations of quantities and DCU parameters, and the seed of a new database. */
const OBIS_DECLARATIONS = /\.test\.tsx?$|\/db\/seed\/|^packages\/contract\/src\/(?:reading\/quantities|action\/dcu-parameter)\.ts$/;
const OBIS_LITERAL = /(['"`])\d{1,3}(?:\.\d{1,3}){5}\1/;

function obisLiterals(file: string, text: string): Violation[] {
  if (!OBIS_USERS.test(file) || OBIS_DECLARATIONS.test(file)) return [];
  return lines(text).flatMap((line, at) =>
    OBIS_LITERAL.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line)
      ? [
          {
            rule: 'obis-codes-stand-in-the-catalogue',
            file: `${file}:${at + 1}`,
            detail: line.trim(),
            why: 'A logical name has one declaration: packages/dlms/src/catalogue, or the table of quantities.',
          },
        ]
      : [],
  );
}

/** Properties that hold the id of an interface class, an attribute or a method. */
const IDS = new Set(['classId', 'attributeId', 'methodId', 'attribute']);
const isNumber = (node: Node | null | undefined): boolean => node?.type === 'Literal' && typeof node.value === 'number';

/** Whether a constant holds numbers: `8`, `new Set([3, 4, 5])` or `{ 3: …, 5: … }`. */
function holdsNumbers(init: Expression | null): boolean {
  if (init?.type === 'NewExpression') return init.arguments[0]?.type === 'ArrayExpression' && isNumber(init.arguments[0].elements[0]);
  if (init?.type === 'ObjectExpression') return init.properties[0]?.type === 'Property' && isNumber(init.properties[0].key);
  return isNumber(init);
}

/** Numbers that are assigned to, compared with, or looked up by the id of a class, an attribute or a method. */
function idLiterals(file: string, text: string): Violation[] {
  if (!/^apps\/server\/src\/(?:features|field|db)\/.*(?<!\.test)\.ts$/.test(file)) return [];
  const constants = new Set<string>();
  const found: { name: string; detail: string; start: number }[] = [];
  const judge = (id: string, value: Expression) => {
    if (!IDS.has(id) || !(isNumber(value) || value.type === 'Identifier')) return;
    found.push({ name: nameOf(value), detail: `${id} ${text.slice(value.start, value.end)}`, start: value.start });
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && holdsNumbers(init)) constants.add(id.name);
    },
    Property({ key, value }) {
      if (key.type === 'Identifier') judge(key.name, value as Expression); // as: in a pattern it is an identifier or a default
    },
    BinaryExpression({ left, right }) {
      judge(nameOf(left as Expression), right); // as: the left side of `in` may be a private name, which has no id
      judge(nameOf(right), left as Expression);
    },
    CallExpression({ callee, arguments: [argument] }) {
      // `SCALED.has(object.classId)`
      if (callee.type === 'MemberExpression' && argument !== undefined) judge(nameOf(argument as Expression), callee.object); // as: a spread has no name
    },
    MemberExpression({ object, property, computed }) {
      if (computed) judge(nameOf(property as Expression), object); // as: a computed property is an expression
    },
  }).visit(parseSync(file, text).program);
  return found
    .filter(({ name }) => name === '' || constants.has(name))
    .map(({ detail, start }) => ({
      rule: 'ids-stand-in-the-classes',
      file: `${file}:${lines(text.slice(0, start)).length}`,
      detail,
      why: 'packages/dlms/src/cosem/classes declares the ids: take them from the class, or use attributeRef() of packages/dlms/src/xdlms/cosem-object.ts.',
    }));
}

/** `any` and `!` disable the compiler's checks: the line must explain why that is correct. */
function unexplainedLiberties(file: string, text: string): Violation[] {
  if (!/\.tsx?$/.test(file) || /\.test\.tsx?$|\/test\/|^e2e\//.test(file)) return [];
  const source = lines(text);
  const found: Violation[] = [];
  const mark = (detail: string) => (node: { start: number; end: number }) => {
    const first = lines(text.slice(0, node.start)).length - 1;
    const last = lines(text.slice(0, node.end)).length - 1;
    const near = source.slice(Math.max(0, first - 1), last + 2);
    if (near.some((line) => /\/\/ |^\s*\/?\*/.test(line))) return;
    found.push({
      rule: LIBERTIES,
      file: `${file}:${first + 1}`,
      detail,
      why: 'Explain in a comment at the line why the compiler cannot know.',
    });
  };
  new Visitor({ TSAnyKeyword: mark('any'), TSNonNullExpression: mark('!') }).visit(parseSync(file, text).program);
  return found;
}

/** Texts of a page belong in its messages, in both languages. */
function strayWords(file: string, text: string): Violation[] {
  if (!/^apps\/web\/src\/.*(?<!\.test)\.tsx$/.test(file)) return [];
  const found: Violation[] = [];
  const judge = (words: unknown, start: number) => {
    if (typeof words !== 'string' || !/\p{L}{2}/u.test(words.replaceAll(SAME_IN_BOTH, ''))) return;
    found.push({
      rule: 'words-stand-in-messages',
      file: `${file}:${lines(text.slice(0, start)).length}`,
      detail: words.trim(),
      why: 'This text would appear untranslated: move it to messages.ts.',
    });
  };
  new Visitor({
    JSXText: ({ value, start }) => judge(value, start),
    JSXExpressionContainer: ({ expression, start }) => expression.type === 'Literal' && judge(expression.value, start),
    JSXAttribute: ({ name, value, start }) => {
      const word = name.type === 'JSXIdentifier' ? name.name : '';
      if (SPOKEN.test(word) && value?.type === 'Literal') judge(value.value, start);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** Only the table hides columns of low rank: a page that leaves them out takes them from the chooser and from files as well. */
function columnRanks(file: string, text: string): Violation[] {
  if (!/^apps\/web\/src\/(?:pages|domain)\/.*\.tsx?$/.test(file)) return [];
  return lines(text).flatMap((line, at) =>
    /\bcolumn\w*\.low\b/.test(line)
      ? [
          {
            rule: 'the-table-ranks-columns',
            file: `${file}:${at + 1}`,
            detail: line.trim(),
            why: 'Pass all columns to useTableView: DataTable hides those of low rank when they do not fit.',
          },
        ]
      : [],
  );
}

const PRESSES = new Set(
  'check clear click dblclick dispatchEvent dragTo fill hover press pressSequentially selectOption setChecked setInputFiles tap type uncheck'.split(
    ' ',
  ),
);

/** The name of a called method: `click` in `page.getByText('x').click()`. */
const methodOf = ({ callee }: CallExpression): string | undefined =>
  callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;

/** A browser test acts once and waits for the effect: repeated presses would hide a button that works only sometimes. */
function repeatedPresses(file: string, text: string): Violation[] {
  if (!/^e2e\/.*\.ts$/.test(file)) return [];
  const repeated: { start: number; end: number }[] = [];
  const presses: { name: string; start: number }[] = [];
  new Visitor({
    CallExpression(call) {
      const name = methodOf(call);
      if (name === 'toPass') repeated.push(call.callee);
      // The callback of `poll` is called repeatedly, too.
      if (name === 'poll') repeated.push(call);
      if (name !== undefined && PRESSES.has(name)) presses.push({ name, start: call.end - 1 });
    },
  }).visit(parseSync(file, text).program);
  return presses
    .filter(({ start }) => repeated.some((span) => span.start < start && start < span.end))
    .map(({ name, start }) => ({
      rule: 'browser-tests-press-once',
      file: `${file}:${lines(text.slice(0, start)).length}`,
      detail: `.${name}( in a retried callback`,
      why: 'Press once and wait for the effect: a product that needs two presses must be fixed.',
    }));
}

const LOCKS = 'apps/server/src/db/advisory-locks.ts';

/** Functions of advisory locks, and numbers as they are registered. */
function strayLocks(file: string, text: string): Violation[] {
  if (!/^(?:apps|packages)\/.*\.tsx?$/.test(file) || file === LOCKS) return [];
  return lines(text).flatMap((line, at) =>
    /\bpg_(?:try_)?advisory_|\b4_?059_?0\d\d\b/.test(line)
      ? [
          {
            rule: 'advisory-locks-are-registered',
            file: `${file}:${at + 1}`,
            detail: line.trim(),
            why: `Two purposes with one number block each other: add the lock to ${LOCKS}, and take it with its functions.`,
          },
        ]
      : [],
  );
}

/** Files of features that collection runs: stores of operations, their steps, and periodic jobs. */
const COLLECTION =
  /\/features\/(?:[^/]+\/store|collection\/(?:dcu-task-queries|schedule\/[^/]+)|upgrade\/transfer\/[^/]+|topology\/poll-queries|assets\/meter-type\/unsupported-objects-queries)\.ts$/;

/** Statements of the driver outside of collection. */
function driverInRequests(file: string, text: string): Violation[] {
  if (!/^apps\/server\/src\/(?:features|http|transfer)\/.*(?<!\.test)\.ts$/.test(file) || COLLECTION.test(file)) return [];
  return lines(text).flatMap((line, at) =>
    /\b(?:pool|client)\.query\b/.test(line)
      ? [
          {
            rule: 'requests-use-kysely',
            file: `${file}:${at + 1}`,
            detail: line.trim(),
            why: 'Only collection uses the driver, for statements prepared by name (decision 168): use Kysely.',
          },
        ]
      : [],
  );
}

const BUILDERS = new Set(['selectFrom', 'selectNoFrom', 'insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto']);
const CONNECTION = /(?:pool|client|connection|owner)$/i;
const SQL_FOLDERS = /^apps\/server\/src\/(?:features|transfer|http|composition)\//;
const SQL_FILES = /\/(?:store|queries|[^/]+-queries)\.ts$|\.test\.ts$/;
/** Statements are recognised by the call: a builder of Kysely, its `sql` tag, or `query` of a connection of pg. */
function strayStatements(file: string, text: string): Violation[] {
  if (!SQL_FOLDERS.test(file) || SQL_FILES.test(file)) return [];
  const found: Violation[] = [];
  const report = (detail: string, start: number) =>
    found.push({
      rule: 'sql-stays-in-queries',
      file: `${file}:${lines(text.slice(0, start)).length}`,
      detail,
      why: 'A review of the database load reads store.ts, queries.ts, *-queries.ts, db/, storage/ and tasks/ only: move the statement.',
    });
  new Visitor({
    CallExpression(call) {
      const { callee } = call;
      const method = methodOf(call);
      if (callee.type !== 'MemberExpression' || method === undefined) return;
      const of = nameOf(callee.object);
      if (BUILDERS.has(method)) report(`.${method}(`, callee.property.start);
      else if (of === 'sql' || (method === 'query' && CONNECTION.test(of))) report(`${of}.${method}(`, callee.property.start);
    },
    TaggedTemplateExpression({ tag, start }) {
      if (nameOf(tag) === 'sql') report('sql`', start);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

const PAGES: readonly string[] = Object.values(PAGE_PATH);
/** Products. The module tree of a new database and of earlier versions is data; tests state the addresses that they expect. */
const ADDRESS_USERS = /^(?:apps\/(?:server|web)|packages\/contract)\/src\//;
const ADDRESS_DECLARATIONS =
  /\.test\.tsx?$|\/db\/(?:seed|migrations)\/|^packages\/contract\/src\/page\/(?:paths|links)\.ts$|^apps\/web\/src\/core\/url\/addresses\.ts$/;

/** Whether a text is the address of a page or its beginning, such as `/assets/` before an inserted name. */
function isPageAddress(text: string): boolean {
  const path = text.replace(/^\/hes(?=\/)/, '').replace(/[?#].*$/s, '');
  const isBeginning = /^\/.+\/$/.test(path);
  return PAGES.some(
    (page) => path === page || (page.lastIndexOf('/') > 0 && path.startsWith(`${page}/`)) || (isBeginning && page.startsWith(path)),
  );
}

/** Addresses of pages outside of the files that declare them; the sign-in page keeps the query of the page that asked for it. */
function pageAddresses(file: string, text: string): Violation[] {
  if (!ADDRESS_USERS.test(file) || ADDRESS_DECLARATIONS.test(file)) return [];
  const found: Violation[] = [];
  const report = (detail: string, start: number) =>
    found.push({
      rule: 'addresses-by-links',
      file: `${file}:${lines(text.slice(0, start)).length}`,
      detail,
      why: 'Write the address by to.<page>(words) of packages/contract/src/page/links.ts, a bare path by PAGE_PATH: a typing error does not compile.',
    });
  const judge = (value: unknown, start: number) => {
    if (typeof value === 'string' && isPageAddress(value)) report(value, start);
  };
  new Visitor({
    Literal: ({ value, start }) => judge(value, start),
    TemplateLiteral({ quasis: [first, second], expressions: [path], start, end }) {
      judge(first?.value.cooked, start);
      const isPath = path?.type === 'MemberExpression' && nameOf(path.object) === 'PAGE_PATH';
      if (isPath && second?.value.cooked?.startsWith('?') === true) report(text.slice(start, end), start);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** The last name of an expression: `pool` in `ctx.pool`. */
function nameOf(expression: Expression): string {
  if (expression.type === 'Identifier') return expression.name;
  return expression.type === 'MemberExpression' && expression.property.type === 'Identifier' ? expression.property.name : '';
}

const lines = (text: string): string[] => text.split('\n');
