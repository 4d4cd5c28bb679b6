import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countFleet, countFleetByType } from '../src/db/fleet-count.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { findUserOfSession } from '../src/http/access/queries.ts';
import type { Implemented } from '../src/http/implement.ts';
import { dcuTypeRoutes } from '../src/features/assets/dcu-type/routes.ts';
import { dcuRoutes } from '../src/features/assets/dcu/routes.ts';
import { levelRoutes } from '../src/features/assets/level/routes.ts';
import { meterTypeRoutes } from '../src/features/assets/meter-type/routes.ts';
import { meterRoutes } from '../src/features/assets/meter/routes.ts';
import { supplierRoutes } from '../src/features/assets/supplier/routes.ts';
import { transformerRoutes } from '../src/features/assets/transformer/routes.ts';
import { treeRoutes } from '../src/features/assets/tree/routes.ts';
import type { Context, Db, User } from '../src/db/context.ts';
import { testApp, type TestApp } from './test-app.ts';
import { smallTown } from './town.ts';

/** Routes whose result grows with the number of meters. */
const LARGE = new Set(['meter', 'archive_record', 'meter_latest', 'reading_daily', 'reading_profile', 'event', 'audit_log', 'task_item']);
const WIRE = { ip: '', header: () => undefined, cookie: () => undefined, setHeader: () => undefined };

interface Statement {
  text: string;
  values: unknown[];
}
interface Plan {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Plan[];
}

let app: TestApp;
let user: User;
let heard: Statement[] = [];
let ctx: Context;
let fleetCounts: string[];

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { sessionId } = await app.addUser({ roles: ['ADMIN'] });
  const found = await findUserOfSession(app.ctx, sessionId, new Date());
  if (found === undefined) throw new Error('no user is signed in');
  user = found;
  const db: Db = new Kysely({
    dialect: new PostgresDialect({ pool: app.ctx.pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    log: ({ query }) => void heard.push({ text: query.sql, values: [...query.parameters] }),
  });
  ctx = { ...app.ctx, db };
  await countFleet(db);
  await countFleetByType(db);
  fleetCounts = heard.map(({ text }) => text);
});
afterAll(() => app.close());

async function statementsOf({ route, handle }: Implemented, query: object): Promise<Statement[]> {
  heard = [];
  await handle({
    ctx,
    user,
    params: {},
    query: route.query?.parse({ ...query, ...NEEDED[route.path] }),
    body: undefined,
    locale: 'en-US',
    wire: WIRE,
  });
  return heard;
}

/** Routes of one meter, one DCU or one transformer, whose results are bounded. */
const OF_ONE = /\b(meter_id|dcu_id|transformer_id|id) = /;

/** Large tables that an aggregate of this plan goes through without an end. */
function countedWhole(plan: Plan, within = false): string[] {
  if (plan['Node Type'] === 'Limit') return (plan.Plans ?? []).flatMap((below) => countedWhole(below));
  const isCounting = within || plan['Node Type'] === 'Aggregate';
  const hasEnd = OF_ONE.test(`${plan['Index Cond'] ?? ''} ${plan.Filter ?? ''}`);
  const own = isCounting && !hasEnd && LARGE.has(plan['Relation Name'] ?? '') ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap((below) => countedWhole(below, isCounting))];
}

async function planOf({ text, values }: Statement): Promise<Plan> {
  const { rows } = await app.ctx.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
  const [first] = rows;
  if (first === undefined) throw new Error('no plan');
  return first['QUERY PLAN'][0].Plan;
}

const LISTS = [
  ...meterRoutes,
  ...dcuRoutes,
  ...transformerRoutes,
  ...levelRoutes,
  ...treeRoutes,
  ...supplierRoutes,
  ...dcuTypeRoutes,
  ...meterTypeRoutes,
].filter(({ route }) => route.method === 'GET' && route.params === undefined && route.answer !== 'file');
/** Words that a route cannot do without. */
const NEEDED: Readonly<Record<string, object>> = { '/asset/tree/path': { node: 'transformer:1' } };
const QUERIES: object[] = [
  {},
  { search: '4711', size: 50 },
  { sort: 'lastCommAt,desc' },
  { sort: 'customerNo,asc', page: 3 },
  { communicationMode: 'rf', inventoryState: 'installed', isMaster: 'false' },
  { bbox: '112,28,113,29', zoom: 8 },
];

describe('lists of a large utility', () => {
  test.each(LISTS)('$route.path counts no large table to its end', async (list) => {
    for (const query of QUERIES)
      for (const statement of await statementsOf(list, query)) {
        // Once a minute for everybody: see fleet-count.ts.
        if (fleetCounts.includes(statement.text)) continue;
        expect(countedWhole(await planOf(statement)), statement.text).toEqual([]);
      }
  });

  test('the count of the whole fleet is what the rule is about', async () => {
    for (const text of fleetCounts) expect(countedWhole(await planOf({ text, values: [] }))).toEqual(['meter']);
  });

  test('a map never gets more dots than can be drawn, and none of the transformers is lost', async () => {
    await app.ctx.pool.query(`insert into transformer (code, name, longitude, latitude, level_id)
      select 'MAP' || n, 'On the map ' || n, 10 + (n * 7919 % 3000) / 1000.0, 50 + (n * 104729 % 3000) / 1000.0, (select min(id) from network_level)
      from generate_series(1, 3000) n`);
    const admin = await app.addUser({ roles: ['ADMIN'] });
    const dots = async (url: string): Promise<{ transformers: number; id?: string | null; transformerId?: string | null }[]> =>
      (await app.call(admin, { url: `/api/${url}` })).json().items;
    const all = (items: { transformers: number }[]) => items.reduce((sum, item) => sum + item.transformers, 0);
    const whole = await dots('dashboard/map?box=10,50,13,53');
    expect([whole.length <= 400, all(whole)]).toEqual([true, 3000]);
    const near = await dots('dashboard/map?box=10,50,10.5,50.5');
    expect([near.length, all(near)]).toEqual([near.length, near.length]);
    expect(near.every((dot) => dot.transformerId !== null)).toBe(true);
    for (let zoom = 2; zoom <= 8; zoom++) {
      const found = await dots(`asset/transformer/map?bbox=10,50,13,53&zoom=${zoom}`);
      expect([found.length <= 1000, all(found)]).toEqual([true, 3000]);
    }
    const network = await dots('asset/transformer/map');
    expect([network.length <= 700, all(network) >= 3000]).toEqual([true, true]);
  });

  test('a page beyond the counted rows is rejected', async () => {
    const admin = await app.addUser({ roles: ['ADMIN'] });
    const page = (at: number) =>
      app.call(admin, { url: `/api/asset/meter/inventory?size=500&page=${at}`, headers: { 'accept-language': 'zh-CN' } });
    expect((await page(COUNT_LIMIT / 500 + 1)).statusCode).toBe(200);
    expect((await page(COUNT_LIMIT / 500 + 2)).json()).toMatchObject({
      code: 'VALIDATION',
      issues: [{ field: 'page', message: '最多可翻阅前 10,000 行，请缩小筛选范围' }],
    });
  });
});
