/** One violation for each rule of `npm run check`, which proves that the rule fails. */
export interface Plant {
  rule: string;
  file: string;
  text: string;
}

const NOTHING = 'export const nothing = 0;\n';

/** Detected by the boundary checker. */
export const BOUNDARY_PLANTS: readonly Plant[] = [
  { rule: 'dlms-is-pure', file: 'packages/dlms/src/planted.ts', text: "import 'node:fs';\n" },
  { rule: 'codec-at-the-bottom', file: 'packages/dlms/src/codec/planted.ts', text: "import '../cosem/obis.ts';\n" },
  { rule: 'association-on-top', file: 'packages/dlms/src/cosem/planted.ts', text: "import '../association/planted.ts';\n" },
  { rule: 'association-on-top (its target)', file: 'packages/dlms/src/association/planted.ts', text: NOTHING },
  { rule: 'dlms-node-is-thin', file: 'packages/dlms-node/src/planted.ts', text: "import 'zod';\n" },
  { rule: 'contract-knows-zod-and-obis', file: 'packages/contract/src/planted.ts', text: "import '@hes/dlms/codec/hex.ts';\n" },
  { rule: 'apps-are-islands', file: 'apps/simulator/src/planted.ts', text: "import '../../server/src/planted.ts';\n" },
  { rule: 'apps-are-islands (its target)', file: 'apps/server/src/planted.ts', text: NOTHING },
  {
    rule: 'simulator-shares-time-zones-only',
    file: 'apps/simulator/src/planted-contract.ts',
    text: "import '@hes/contract/core/outcome.ts';\n",
  },
  { rule: 'web-draws-it-does-not-encode', file: 'apps/web/src/core/planted-dlms.ts', text: "import '@hes/dlms/codec/hex.ts';\n" },
  { rule: 'page-alone', file: 'apps/web/src/pages/assets/planted-one/planted.ts', text: "import '../planted-two/planted.ts';\n" },
  { rule: 'page-alone (its target)', file: 'apps/web/src/pages/assets/planted-two/planted.ts', text: NOTHING },
  { rule: 'domain-below-pages', file: 'apps/web/src/domain/planted/planted.ts', text: "import '#pages/assets/planted-two/planted.ts';\n" },
  { rule: 'kit-knows-no-domain', file: 'apps/web/src/kit/planted/planted.ts', text: "import '#domain/planted/planted.ts';\n" },
  { rule: 'core-at-the-bottom', file: 'apps/web/src/core/planted/planted.ts', text: "import '#kit/planted/planted.ts';\n" },
  {
    rule: 'plain-parts-without-the-library',
    file: 'apps/web/src/pages/assets/planted/planted-plain.ts',
    text: "import '#kit/plain/segments.tsx';\n",
  },
  { rule: 'field-knows-no-http', file: 'apps/server/src/field/planted.ts', text: "import 'fastify';\n" },
  { rule: 'engines-know-no-feature', file: 'apps/server/src/storage/planted.ts', text: "import '#features/planted/store.ts';\n" },
  { rule: 'engines-know-no-feature (its target)', file: 'apps/server/src/features/planted/store.ts', text: NOTHING },
  {
    rule: 'dcus-are-asked-through-their-adapter',
    file: 'apps/server/src/features/planted/shapes.ts',
    text: "import '@hes/dlms/profile/reference-dcu.ts';\n",
  },
  {
    rule: 'adapters-are-chosen-in-one-place',
    file: 'apps/server/src/features/planted/adapter.ts',
    text: "import '#southbound/planted/planted.ts';\n",
  },
  { rule: 'adapters-are-chosen-in-one-place (its target)', file: 'apps/server/src/southbound/planted/planted.ts', text: NOTHING },
  { rule: 'adapter-alone', file: 'apps/server/src/southbound/planted-two/planted.ts', text: "import '#southbound/planted/planted.ts';\n" },
  {
    rule: 'southbound-below-features',
    file: 'apps/server/src/southbound/planted-three.ts',
    text: "import '#features/planted/store.ts';\n",
  },
  { rule: 'feature-alone', file: 'apps/server/src/features/planted-two/operation.ts', text: "import '#features/planted/store.ts';\n" },
  { rule: 'nodes-know-no-work', file: 'apps/server/src/nodes/planted.ts', text: "import '#field/planted.ts';\n" },
  { rule: 'metrics-look-from-outside', file: 'apps/server/src/metrics/planted.ts', text: "import '#field/planted.ts';\n" },
  { rule: 'only-the-composition-serves-metrics', file: 'apps/server/src/field/planted-metrics.ts', text: "import 'prom-client';\n" },
  { rule: 'tasks-know-no-field', file: 'apps/server/src/tasks/planted.ts', text: "import '#field/planted.ts';\n" },
  {
    rule: 'operations-catch-no-decode-error',
    file: 'apps/server/src/features/planted-decode/operation.ts',
    text: "import '@hes/dlms/codec/decode-error.ts';\n",
  },
  {
    rule: 'ids-stand-in-the-classes',
    file: 'apps/server/src/field/planted-address.ts',
    text: "export const ref = { classId: 8, instance: '' };\n",
  },
  {
    rule: 'ids-stand-in-the-classes',
    file: 'apps/server/src/features/planted-ids/operation.ts',
    text: 'const CLOCK = 8;\nexport const isClock = (object: { classId: number }) => object.classId === CLOCK;\n',
  },
  {
    rule: 'ids-stand-in-the-classes',
    file: 'apps/server/src/db/planted-registers.ts',
    text: 'const REGISTERS = new Set([3, 4, 5]);\nexport const isRegister = (object: { classId: number }) => REGISTERS.has(object.classId);\n',
  },
  {
    rule: 'orders-are-placed',
    file: 'apps/server/src/features/planted-order/service.ts',
    text: "import '#tasks/create-task.ts';\n",
  },
  { rule: 'platform-at-the-bottom', file: 'apps/server/src/platform/planted.ts', text: "import '#field/planted.ts';\n" },
  { rule: 'database-knows-no-engine', file: 'apps/server/src/db/planted.ts', text: "import '#field/planted.ts';\n" },
  { rule: 'tests-are-not-imported', file: 'apps/simulator/src/planted-test.ts', text: "import 'vitest';\n" },
  { rule: 'database-on-the-server-only', file: 'apps/simulator/src/planted-sql.ts', text: "import 'kysely';\n" },
  {
    rule: 'sql-stays-in-queries',
    file: 'apps/server/src/features/planted-sql/service.ts',
    text: "export const find = (db: Db) => db.selectFrom('dcu').selectAll().execute();\n",
  },
  {
    rule: 'sql-stays-in-queries',
    file: 'apps/server/src/transfer/planted-sql.ts',
    text: 'export const find = (db: Db) => sql<Row>`select 1`.execute(db);\n',
  },
  {
    rule: 'sql-stays-in-queries',
    file: 'apps/server/src/http/planted-sql.ts',
    text: "export const find = (ctx: Context) => ctx.pool.query('select 1');\n",
  },
  { rule: 'resolved', file: 'apps/simulator/src/planted-nowhere.ts', text: "import './not-there.ts';\n" },
  {
    rule: 'no-cycles',
    file: 'apps/server/src/planted-a.ts',
    text: "import { b } from './planted-b.ts';\nexport const a = (): number => b();\n",
  },
  {
    rule: 'no-cycles (its other half)',
    file: 'apps/server/src/planted-b.ts',
    text: "import { a } from './planted-a.ts';\nexport const b = (): number => a();\n",
  },
  { rule: 'declared-dependencies', file: 'apps/simulator/src/planted-undeclared.ts', text: "import 'fastify';\n" },
  {
    rule: 'table-has-one-writer',
    file: 'apps/server/src/features/planted-writer/store.ts',
    text: "export const write = (pool: { query(text: string): void }) => pool.query('update meter set sn = null');\n",
  },
  { rule: 'no-barrels', file: 'apps/server/src/platform/index.ts', text: NOTHING },
  {
    rule: 'obis-codes-stand-in-the-catalogue',
    file: 'apps/server/src/field/planted-obis.ts',
    text: "export const at = '1.0.1.8.0.255';\n",
  },
  { rule: 'left-work-has-an-issue', file: 'apps/server/src/planted-todo.ts', text: `// ${['TO', 'DO'].join('')} later\n${NOTHING}` },
  {
    rule: 'any-and-bang-have-a-reason',
    file: 'apps/server/src/planted-any.ts',
    text: 'export const value: any = 0;\n\nexport const free = 1;\n',
  },
  {
    rule: 'browser-tests-press-once',
    file: 'e2e/planted.spec.ts',
    text: 'await expect(async () => {\n  await page.getByRole("button").click();\n}).toPass();\n',
  },
  {
    rule: 'requests-use-kysely',
    file: 'apps/server/src/features/planted/list-queries.ts',
    text: "export const listPlanted = (pool: { query(text: string): unknown }) => pool.query('select 1');\n",
  },
  {
    rule: 'advisory-locks-are-registered',
    file: 'apps/server/src/planted-lock.ts',
    text: 'export const PLANTED_LOCK = 4_059_099;\n',
  },
  {
    rule: 'the-table-ranks-columns',
    file: 'apps/web/src/pages/planted/columns.ts',
    text: 'export const shown = (all: { low: boolean }[], narrow: boolean) => all.filter((column) => !(narrow && column.low));\n',
  },
  {
    rule: 'addresses-by-links',
    file: 'apps/web/src/pages/assets/planted-link.ts',
    text: 'export const planted = (id: string) => `/assets/dcu?sel=${id}`;\n',
  },
  {
    rule: 'addresses-by-links',
    file: 'packages/contract/src/page/planted-link.ts',
    text: "import { PAGE_PATH } from './paths.ts';\nexport const planted = (id: string) => `${PAGE_PATH.dcus}?sel=${id}`;\n",
  },
  {
    rule: 'addresses-by-links',
    file: 'apps/server/src/features/planted-link/notice.ts',
    text: 'export const planted = (kind: string) => `/hes/meter/${kind}`;\n',
  },
  {
    rule: 'words-stand-in-messages',
    file: 'apps/web/src/kit/planted-words.tsx',
    text: 'export const Planted = () => <p title="Total energy" className="total" />;\n',
  },
];

/** Detected by oxlint; `rule` is oxlint's name. */
export const LINT_PLANTS: readonly Plant[] = [
  {
    rule: 'consistent-type-imports',
    file: 'apps/server/src/planted-type.ts',
    text: "import { Server } from 'node:net';\nexport const stop = (server: Server) => server.close();\n",
  },
  {
    rule: 'no-cycle',
    file: 'apps/server/src/planted-a.ts',
    text: "import { b } from './planted-b.ts';\nexport const a = (): number => b();\n",
  },
  {
    rule: 'no-cycle',
    file: 'apps/server/src/planted-b.ts',
    text: "import { a } from './planted-a.ts';\nexport const b = (): number => a();\n",
  },
  {
    rule: 'no-cycle',
    file: 'apps/server/src/planted-c.ts',
    text: "import type { D } from './planted-d.ts';\nexport type C = { d: D };\n",
  },
  {
    rule: 'no-cycle',
    file: 'apps/server/src/planted-d.ts',
    text: "import type { C } from './planted-c.ts';\nexport type D = { c?: C };\n",
  },
  { rule: 'no-default-export', file: 'apps/server/src/planted-default.ts', text: 'export default 0;\n' },
  {
    rule: 'no-floating-promises',
    file: 'apps/server/src/planted-promise.ts',
    text: 'const wait = async () => {};\nexport function go() {\n  wait();\n}\n',
  },
  { rule: 'no-restricted-globals', file: 'packages/dlms/src/planted-date.ts', text: 'export const now = () => Date.now();\n' },
  { rule: 'no-restricted-properties', file: 'packages/dlms/src/planted-random.ts', text: 'export const chance = () => Math.random();\n' },
  { rule: 'no-console', file: 'apps/server/src/planted-console.ts', text: "export const shout = () => console.log('!');\n" },
  { rule: 'filename-case', file: 'apps/server/src/plantedName.ts', text: NOTHING },
  {
    rule: 'rules-of-hooks',
    file: 'apps/web/src/planted-hook.tsx',
    text: "import { useState } from 'react';\nexport function Planted({ on }: { on: boolean }) {\n  if (on) useState(0);\n  return null;\n}\n",
  },
  { rule: 'alt-text', file: 'apps/web/src/planted-image.tsx', text: 'export const Picture = () => <img src="x.png" />;\n' },
];
