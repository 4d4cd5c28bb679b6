import { join } from 'node:path';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { transformer } from '@hes/contract/asset/transformer.ts';
import { tree } from '@hes/contract/asset/tree.ts';
import type { Route } from '@hes/contract/core/route.ts';
import pg from 'pg';
import { dcuRoutes } from '../../apps/server/src/features/assets/dcu/routes.ts';
import { meterRoutes } from '../../apps/server/src/features/assets/meter/routes.ts';
import { transformerRoutes } from '../../apps/server/src/features/assets/transformer/routes.ts';
import { treeRoutes } from '../../apps/server/src/features/assets/tree/routes.ts';
import type { Context, Db, User } from '../../apps/server/src/db/context.ts';
import { openBenchDatabase } from './bench-database.ts';
import { BENCH_MASTER_KEY, signInMany, type BenchUser } from './bench-users.ts';
import { startHeadEnd } from './head-end-process.ts';
import { quantile } from './interleaved.ts';
import { recordingDb, type Statement } from './recording-db.ts';

const USERS = 8;
const ROUNDS = 40;
const WARM_UP = 2;
const SIZE = 50;

interface Shape {
  name: string;
  route: Route;
  /** Differs between rounds, which defeats caches. */
  query(round: number): Record<string, string | number>;
}

const WIRE = { ip: '', header: () => undefined, cookie: () => undefined, setHeader: () => undefined };

const digits = (round: number, length: number) => String(((round + 7) * 7_919_777) % 10 ** length).padStart(length, '0');

const SHAPES: Shape[] = [
  { name: 'list by serial number', route: meter.assets, query: (round) => ({ size: SIZE, page: (round % 20) + 1 }) },
  { name: 'substring of a serial number', route: meter.assets, query: (round) => ({ size: SIZE, search: digits(round, 5) }) },
  {
    name: 'sorted by last contact',
    route: meter.assets,
    query: (round) => ({ size: SIZE, sort: `lastCommAt,${round % 2 === 0 ? 'desc' : 'asc'}` }),
  },
  {
    name: 'three filters',
    route: meter.assets,
    query: (round) => ({ size: SIZE, communicationMode: round % 2 === 0 ? 'rf' : 'plc', inventoryState: 'installed', isMaster: 'false' }),
  },
  { name: 'badge counts of meters', route: meter.facets, query: (round) => ({ search: round % 2 === 0 ? '' : digits(round, 4) }) },
  { name: 'DCUs sorted by last contact', route: dcu.list, query: () => ({ size: SIZE, sort: 'lastCommAt,desc' }) },
  { name: 'badge counts of DCUs', route: dcu.facets, query: () => ({}) },
  { name: 'transformers of a district', route: transformer.list, query: (round) => ({ size: SIZE, search: `Street ${round}` }) },
  {
    name: 'map box',
    route: transformer.map,
    query: (round) => ({
      zoom: 10 + (round % 4),
      bbox: [112 + (round % 7) / 10, 28.2, 112.4 + (round % 7) / 10, 28.6].map((degrees) => degrees.toFixed(4)).join(),
    }),
  },
  { name: 'search of the tree', route: tree.children, query: (round) => ({ search: digits(round, 6) }) },
];

const HANDLERS = [...meterRoutes, ...dcuRoutes, ...transformerRoutes, ...treeRoutes];

/** Calls the handler of the route without HTTP. */
async function handle(db: Db, user: User, { route, query }: Shape, round: number): Promise<unknown> {
  const found = HANDLERS.find((handler) => handler.route === route);
  // as: lists use the database only
  return found?.handle({
    ctx: { db } as Context,
    user,
    params: {},
    query: route.query?.parse(query(round)),
    body: undefined,
    locale: 'en-US',
    wire: WIRE,
  });
}

const urlOf = (address: string, { route, query }: Shape, round: number): string =>
  `${address}/api${route.path}?${new URLSearchParams(Object.entries(query(round)).map(([key, value]) => [key, String(value)]))}`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function callApi(url: string, { token }: BenchUser): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
}

async function runStatements(client: pg.Client, statements: Statement[]): Promise<void> {
  for (const { text, values } of statements) await client.query(text, values);
}

/** W7: pages of lists through the API, as one of eight users, alternating with the same statements over one connection. */
export async function w7() {
  const database = await openBenchDatabase();
  const recording = recordingDb(database.pool);
  const users = await signInMany(database.pool, recording.db, USERS);
  const headEnd = await startHeadEnd({
    DATABASE_URL: database.url,
    HES_DATA_DIR: join(database.dataDir, 'head-end'),
    HES_MASTER_KEY: BENCH_MASTER_KEY,
  });
  const client = new pg.Client({ connectionString: database.url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    const shapes: Record<string, number | string>[] = [];
    for (const shape of SHAPES) {
      const took = { api: [] as number[], sql: [] as number[] };
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        // as: every round has its user
        const user = users[(round + WARM_UP) % USERS] as BenchUser;
        const url = urlOf(headEnd.address, shape, round + WARM_UP);
        const statements = await recording.of((db) => handle(db, user.user, shape, round + WARM_UP));
        const api = () => timed(() => callApi(url, user));
        const sql = () => timed(() => runStatements(client, statements));
        const [first, second] = round % 2 === 0 ? [api, sql] : [sql, api];
        const [one, two] = [await first(), await second()];
        if (round < 0) continue;
        took.api.push(round % 2 === 0 ? one : two);
        took.sql.push(round % 2 === 0 ? two : one);
      }
      const ratio = (share: number) => quantile(took.api, share) / quantile(took.sql, share);
      const ms = (values: number[], share: number) => Number(quantile(values, share).toFixed(1));
      shapes.push({
        shape: shape.name,
        p50: Number(ratio(0.5).toFixed(2)),
        p95: Number(ratio(0.95).toFixed(2)),
        apiMs: ms(took.api, 0.5),
        api95Ms: ms(took.api, 0.95),
        sqlMs: ms(took.sql, 0.5),
        sql95Ms: ms(took.sql, 0.95),
      });
      process.stderr.write(`${JSON.stringify(shapes.at(-1))}\n`);
    }
    const worst = (key: 'p50' | 'p95') => Math.max(...shapes.map((row) => Number(row[key])));
    const median = (key: 'p50' | 'p95') =>
      quantile(
        shapes.map((row) => Number(row[key])),
        0.5,
      );
    // A larger ratio is better, as for the other workloads: the share of the time that the statements themselves take.
    return { ratio: 1 / median('p50'), p50: median('p50'), p95: median('p95'), worstP50: worst('p50'), worstP95: worst('p95'), shapes };
  } finally {
    await client.end();
    await headEnd.stop();
    await database.stop();
  }
}
