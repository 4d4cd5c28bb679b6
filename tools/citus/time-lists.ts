import { loadUtility } from '../bench/big-utility.ts';
import { quantile } from '../bench/interleaved.ts';
import { startCitus, type CitusCluster } from '../../apps/server/test/citus-cluster.ts';
import { openPrepared, runStatements } from '../../apps/server/test/installed-postgres.ts';
import { testApp, type TestApp, type TestUser } from '../../apps/server/test/test-app.ts';

const METERS = 2000;
const DCUS = 10;
const DAYS = 10;
const ROUNDS = 15;
const WARM_UP = 3;
const DAY_MS = 86_400_000;
const dayOf = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);
const RANGE = `from=${dayOf(7)}&to=${dayOf(1)}`;

const FILL = [
  `insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus)
   select m.id, current_date - d, now(), 'meter', 'read', m.id + 5 * (${DAYS} - d) from meter m cross join generate_series(2, ${DAYS}) d
   where m.inventory_state = 'active' and (m.id + d) % 37 <> 0`,
  `insert into reading_profile (meter_id, profile, day, period_s, present, status, p_avg_plus_w, u1_mv, read_at, source)
   select m.id, p, current_date - d, 900, 96, array_fill(0, array[96]), array_fill(400, array[96]), array_fill(230000, array[96]), now(), 'meter'
   from meter m cross join generate_series(1, ${DAYS}) d cross join unnest(array['lpa', 'lpb']) p where m.inventory_state = 'active'`,
];

interface Side {
  app: TestApp;
  user: TestUser;
  stop(): Promise<void>;
}

async function fillSide(ownerUrl: string): Promise<Side> {
  const { database } = await openPrepared(ownerUrl);
  await loadUtility(database.owner, { meters: METERS, dcus: DCUS }, () => undefined);
  for (const statement of FILL) await database.owner.query(statement);
  const app = await testApp({ database, hasWorkers: false });
  const user = await app.addUser({ roles: ['ADMIN'] });
  return {
    app,
    user,
    async stop() {
      await app.close();
      await database.drop();
    },
  };
}

async function listsOf({ app }: Side): Promise<Record<string, string>> {
  const { rows } = await app.ctx.pool.query<{ transformer: string; meter: string }>(
    `select transformer_id as transformer, min(id) as meter from meter where inventory_state = 'active' group by 1 order by 1 limit 1`,
  );
  const { transformer = '', meter = '' } = rows[0] ?? {};
  return {
    'meters by serial number': '/asset/meter?size=50',
    'meters of a search': '/asset/meter?size=50&search=73',
    'daily readings of all meters, a page': `/reading/daily?${RANGE}&size=50`,
    'daily readings of a transformer': `/reading/daily?${RANGE}&size=50&node=transformer:${transformer}`,
    'quarter hours of a meter': `/reading/profile/lpa?${RANGE}&meterId=${meter}&size=500`,
    'quarter hours of all meters, a page': `/reading/profile/lpa?from=${dayOf(1)}&to=${dayOf(1)}&size=50`,
    'completeness by meter': `/reading/completeness/meters?${RANGE}&size=50`,
    'status of a transformer': `/status/transformer/${transformer}`,
    dashboard: `/dashboard/summary?date=${dayOf(1)}`,
  };
}

async function timeCall({ app, user }: Side, path: string): Promise<number> {
  const begun = performance.now();
  const { statusCode, body } = await app.call(user, { url: `/api${path}` });
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
  return performance.now() - begun;
}

/**
 * Times lists of 2,000 meters on PostgreSQL and on a coordinator with two workers, in turns over the same rows, and prints medians in
 * milliseconds with their ratio. All servers share this machine: the ratio shows the cost of distribution, not the gain of more machines.
 */
export async function timeLists(): Promise<void> {
  const cluster: CitusCluster = await startCitus(2);
  try {
    await cluster.create('hes');
    await runStatements(cluster.ownerUrl('postgres'), 'create database plain');
    // First, because Citus makes the role on the workers when it is made, and it is one for all databases.
    const citus = await fillSide(cluster.ownerUrl('hes'));
    const plain = await fillSide(cluster.ownerUrl('plain'));
    const [ofPlain, ofCitus] = [await listsOf(plain), await listsOf(citus)];
    for (const [name, path] of Object.entries(ofPlain)) {
      const took = { plain: [] as number[], citus: [] as number[] };
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        const [one, other] = [await timeCall(plain, path), await timeCall(citus, ofCitus[name] ?? path)];
        if (round < 0) continue;
        took.plain.push(one);
        took.citus.push(other);
      }
      const [one, other] = [quantile(took.plain, 0.5), quantile(took.citus, 0.5)];
      console.log(`${name}: PostgreSQL ${one.toFixed(1)} ms, Citus ${other.toFixed(1)} ms, ratio ${(other / one).toFixed(1)}`);
    }
    await citus.stop();
    await plain.stop();
    console.log(`Statements that Citus refused: ${cluster.refused().join('\n') || 'none'}`);
  } finally {
    await cluster.stop();
  }
}
