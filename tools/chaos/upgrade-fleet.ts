/**
 * Whether an upgrade of a whole fleet leaves the others their pace: all meters are read in rounds, first alone and then beside the
 * upgrade, on the simulated power line, where time on air is what is short. It ends with 0 only when every hash is right and rounds
 * beside the upgrade keep 70 % of their pace.
 *
 *   npm run proof:upgrade-fleet                                     20 DCUs of 50 meters
 *   npm run proof:upgrade-fleet -- --scale 4x10 --octets 8000       a small one
 *   npm run proof:upgrade-fleet -- --protocol dlms_image_via_dcu    one image over each uplink
 */
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { createTask } from '../../apps/server/src/tasks/store.ts';
import { orderUpgrade } from './upgrade-order.ts';
import { openTown, patient, type Town } from './upgrade-town.ts';

const MIN_PACE = 0.7;
const BLOCK_OCTETS = 512;
/** Of collection: what goes on by itself all day, before firmware. */
const COLLECTION_PRIORITY = 5;
const ASK_EVERY_MS = 200;
const LONGEST_MS = 6 * 3_600_000;

interface Meter {
  id: string;
  sn: string;
  dcuId: string;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const givenUpAt = Date.now() + LONGEST_MS;
  while (!(await is())) {
    if (Date.now() > givenUpAt) throw new Error(`It took too long: ${what}`);
    await wait(ASK_EVERY_MS);
  }
}

/** Reads the registers of every meter once. Answers readings a second. */
async function round({ ctx }: Town, meters: readonly Meter[]): Promise<number> {
  const begun = performance.now();
  const { id } = await createTask(ctx.db, {
    kind: 'registers',
    source: 'system',
    title: 'Round',
    params: { items: ['E_PLUS', 'E_MINUS'] },
    priority: COLLECTION_PRIORITY,
    createdBy: null,
    items: meters.map(({ id: meterId, dcuId }) => ({ deviceKind: 'meter', dcuId, meterId })),
  });
  const task = async () =>
    (await ctx.pool.query<{ done: number; ok: number; total: number }>('select done, ok, total from task where id = $1', [id])).rows[0];
  await until('a round of readings', async () => {
    const now = await task();
    return now !== undefined && now.done === now.total;
  });
  return ((await task())?.ok ?? 0) / ((performance.now() - begun) / 1000);
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Wanted {
  scale: string;
  octets: number;
  upgradeProtocol: 'dlms_image' | 'dlms_image_via_dcu';
  rounds: number;
}

async function prove({ scale, octets, upgradeProtocol, rounds }: Wanted): Promise<boolean> {
  const town = await openTown({ scale, channel: 'town' });
  try {
    const { pool } = town.ctx;
    town.startServer();
    await until(
      'all DCUs are online',
      async () => (await pool.query("select from dcu where online_status <> 'online' limit 1")).rowCount === 0,
    );
    const meters = (await pool.query<Meter>('select id, sn, dcu_id as "dcuId" from meter order by id')).rows;
    await round(town, meters);
    const alone: number[] = [];
    for (let k = 0; k < rounds; k++) alone.push(await round(town, meters));
    say(`${meters.length} meters, alone: ${middle(alone).toFixed(1)} readings a second`);

    const order = await orderUpgrade(town.ctx, {
      octets,
      blockSize: BLOCK_OCTETS,
      upgradeProtocol,
      selection: (typeIds) => ({ typeIds }),
      concurrency: 200,
    });
    const statuses = async (): Promise<Map<string, number>> =>
      new Map(
        (
          await patient(() =>
            pool.query<{ status: string; n: number }>(
              'select status, count(*)::int as n from upgrade_record where job_id = $1 group by 1',
              [order.jobId],
            ),
          )
        ).rows.map(({ status, n }) => [status, n]),
      );
    // An upgrade that halts goes no further by itself, and not all hashes will be right.
    const isHalted = async (): Promise<boolean> =>
      (await pool.query("select from upgrade_job where id = $1 and state = 'halted'", [order.jobId])).rowCount === 1;
    const isOver = async (): Promise<boolean> =>
      (await isHalted()) || [...(await statuses()).keys()].every((status) => ['complete', 'error', 'update_fail'].includes(status));
    await until('the first block', async () => ((await statuses()).get('idle') ?? 0) < meters.length);
    const beside: number[] = [];
    while (!(await isOver())) beside.push(await round(town, meters));
    const pace = middle(beside) / middle(alone);
    let right = 0;
    let unverified = 0;
    for (const { sn } of meters) {
      const device = await town.ask<{ flashedSha256: string | null; unverifiedOrders: number }>(`firmware/meter/${sn}`);
      if (device.flashedSha256 === order.sha256) right++;
      unverified += device.unverifiedOrders;
    }
    const uplink = await pool.query<{ alone: number; broadcast: number }>(
      `select (select sum(octets_sent)::float8 from upgrade_record where job_id = $1) as alone,
        (select coalesce(sum(octets_sent), 0)::float8 from upgrade_broadcast where job_id = $1) as broadcast`,
      [order.jobId],
    );
    const sent = (uplink.rows[0]?.alone ?? 0) + (uplink.rows[0]?.broadcast ?? 0);
    say(
      `     ${beside.length} rounds beside the upgrade: ${middle(beside).toFixed(1)} readings a second; ends ${JSON.stringify([...(await statuses())])}`,
    );
    say(`     octets over the uplinks: ${sent}, ${(sent / (meters.length * order.octets)).toFixed(3)} of one image for each meter`);
    const verdicts: [string, boolean][] = [
      [`the right hash: ${right} of ${meters.length}`, right === meters.length],
      [`orders to activate something unverified: ${unverified}`, unverified === 0],
      [`pace of other readings: ${(pace * 100).toFixed(0)} %`, pace >= MIN_PACE],
    ];
    for (const [what, isGood] of verdicts) say(`${isGood ? 'ok   ' : 'WRONG'} ${what}`);
    return verdicts.every(([, isGood]) => isGood);
  } finally {
    await town.stop();
  }
}

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '20x50' },
    octets: { type: 'string', default: '20000' },
    protocol: { type: 'string', default: 'dlms_image' },
    rounds: { type: 'string', default: '3' },
  },
});
const isGood = await prove({
  scale: values.scale,
  octets: Number(values.octets),
  upgradeProtocol: values.protocol === 'dlms_image_via_dcu' ? 'dlms_image_via_dcu' : 'dlms_image',
  rounds: Number(values.rounds),
});
process.exitCode = isGood ? 0 : 1;
