/**
 * Proves that an upgrade of a whole fleet hardly slows other work: all meters are read in rounds, first alone and then in
 * parallel with the upgrade, over the simulated power line, where air time is scarce, while operators read one meter after
 * the other. The exit code is 0 only if every hash is right, the rounds keep 70 % of their rate, and operators wait at
 * most 1.5 times as long.
 * Waiting times of operators are compared while a round runs at full speed, as in W6: at a DCU that is idle between two
 * rounds there is no wait, at a busy one a round trip must end first, now and then a lost one. Between the rounds the
 * upgrade keeps a DCU busy that is otherwise idle; the effect is reported, but not judged.
 * npm run proof:upgrade-fleet                                     50 DCUs of 20 meters
 * npm run proof:upgrade-fleet -- --scale 4x10 --octets 8000       a small one
 * npm run proof:upgrade-fleet -- --protocol dlms_image_via_dcu    one image over each uplink
 */
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { createTask } from '../../apps/server/src/tasks/create-task.ts';
import { orderUpgrade } from './upgrade-order.ts';
import { startKillableProduct, retryWhileDown, type KillableProduct } from './killable-product.ts';

const MIN_PACE = 0.7;
/** Limit of the ratio of operators' waiting times at the 95th percentile. */
const MAX_WAIT = 1.5;
const BLOCK_OCTETS = 512;
const NEARLY_ALL = 0.95;
/** Priority of collection, which runs all day before firmware. */
const COLLECTION_PRIORITY = 5;
/** Priority of an interactive reading. */
const OPERATOR_PRIORITY = 3;
const OPERATOR_EVERY_MS = 250;
/** Concurrent operators, each at another meter: a 95th percentile of few readings would be random. */
const OPERATORS = 4;
const ASK_EVERY_MS = 200;
const LONGEST_MS = 6 * 3_600_000;

interface Meter {
  id: string;
  sn: string;
  dcuId: string;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function until(what: string, is: () => Promise<boolean>, everyMs = ASK_EVERY_MS): Promise<void> {
  const givenUpAt = Date.now() + LONGEST_MS;
  while (!(await is())) {
    if (Date.now() > givenUpAt) throw new Error(`Timeout: ${what}`);
    await wait(everyMs);
  }
}

/**
 * Reads the registers of some meters. Returns the time until nearly all were read, and signals that moment: the last ones
 * of a round lost frames and are retried after ten seconds.
 */
async function read({ ctx }: KillableProduct, meters: readonly Meter[], by: 'system' | 'user', onNearlyAll?: () => void): Promise<number> {
  const begun = performance.now();
  const isUser = by === 'user';
  const { id } = await createTask(ctx.db, {
    kind: 'registers',
    source: by,
    title: 'Round',
    params: { items: ['E_PLUS', 'E_MINUS'] },
    priority: isUser ? OPERATOR_PRIORITY : COLLECTION_PRIORITY,
    createdBy: null,
    items: meters.map(({ id: meterId, dcuId }) => ({ deviceKind: 'meter', dcuId, meterId })),
  });
  let ms: number | undefined;
  const isDone = async (): Promise<boolean> => {
    const found = await ctx.pool.query<{ done: number; ok: number; total: number }>('select done, ok, total from task where id = $1', [id]);
    const [task] = found.rows;
    if (ms === undefined && (task?.ok ?? 0) >= meters.length * NEARLY_ALL) {
      ms = performance.now() - begun;
      onNearlyAll?.();
    }
    return task !== undefined && task.done === task.total;
  };
  await until('readings', isDone, isUser ? ASK_EVERY_MS / 10 : ASK_EVERY_MS);
  return ms ?? performance.now() - begun;
}

interface Measured {
  /** Readings a second, round by round. */
  pace: number[];
  /** Waiting times of operators per reading: while a round ran at full speed, and between the rounds. */
  waits: number[];
  between: number[];
}

/** Meters that are not restarting, since those do not respond. */
async function thoseThere({ ctx }: KillableProduct, meters: readonly Meter[]): Promise<Meter[]> {
  const found = await ctx.pool.query<{ id: string }>(
    "select device_id as id from upgrade_record where device_kind = 'meter' and status in ('wait_update', 'updating')",
  );
  const away = new Set(found.rows.map((row) => row.id));
  return meters.filter(({ id }) => !away.has(id));
}

/** Reads the available meters round after round, with operators reading single meters in parallel. */
async function measure(
  product: KillableProduct,
  meters: readonly Meter[],
  goesOn: (rounds: number) => Promise<boolean>,
): Promise<Measured> {
  const measured: Measured = { pace: [], waits: [], between: [] };
  let isOver = false;
  let isFull = false;
  const operate = async (place: number): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      const meter = meters[((turn * OPERATORS + place) * 37) % meters.length];
      if (meter !== undefined && (await thoseThere(product, [meter])).length === 1) {
        const waits = isFull ? measured.waits : measured.between;
        waits.push(await read(product, [meter], 'user'));
      }
      await wait(OPERATOR_EVERY_MS);
    }
  };
  const operators = Array.from({ length: OPERATORS }, (_, place) => operate(place));
  while (await goesOn(measured.pace.length)) {
    const there = await thoseThere(product, meters);
    isFull = true;
    const ms = await read(product, there, 'system', () => (isFull = false));
    isFull = false;
    measured.pace.push((there.length * NEARLY_ALL) / (ms / 1000));
  }
  isOver = true;
  await Promise.all(operators);
  return measured;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)] ?? 0;
const middle = (values: readonly number[]): number => quantile(values, 0.5);
const waited = (waits: readonly number[]): string =>
  `${waits.length} of ${middle(waits).toFixed(0)} ms, p95 ${quantile(waits, 0.95).toFixed(0)} ms`;
const tell = ({ pace, waits, between }: Measured): string =>
  `${pace.length} rounds, ${middle(pace).toFixed(1)} readings a second; readings of operators: ${waited(waits)}; between rounds ${waited(between)}`;

interface Wanted {
  scale: string;
  octets: number;
  upgradeProtocol: 'dlms_image' | 'dlms_image_via_dcu';
  rounds: number;
  perDcu: number;
}

async function prove({ scale, octets, upgradeProtocol, rounds, perDcu }: Wanted): Promise<boolean> {
  const product = await startKillableProduct({ scale, channel: 'realistic' });
  try {
    const { pool } = product.ctx;
    product.startServer();
    await until(
      'all DCUs are online',
      async () => (await pool.query("select from dcu where online_status <> 'online' limit 1")).rowCount === 0,
    );
    const meters = (await pool.query<Meter>('select id, sn, dcu_id as "dcuId" from meter order by id')).rows;
    await read(product, meters, 'system');
    const alone = await measure(product, meters, async (done) => done < rounds);
    say(`${meters.length} meters, alone: ${tell(alone)}`);

    const order = await orderUpgrade(product.ctx, {
      octets,
      blockSize: BLOCK_OCTETS,
      upgradeProtocol,
      selection: (typeIds) => ({ everywhere: true, typeIds }),
      // The head-end learns the restart time from the first device, as in the field.
      rings: [{ unit: 'devices', size: 1 }],
      concurrency: 200,
      perDcu,
    });
    const statuses = async (): Promise<Map<string, number>> =>
      new Map(
        (
          await retryWhileDown(() =>
            pool.query<{ status: string; n: number }>(
              'select status, count(*)::int as n from upgrade_record where job_id = $1 group by 1',
              [order.jobId],
            ),
          )
        ).rows.map(({ status, n }) => [status, n]),
      );
    // A halted upgrade does not continue automatically, and the hashes will be incomplete.
    const isHalted = async (): Promise<boolean> =>
      (await pool.query("select from upgrade_job where id = $1 and state = 'halted'", [order.jobId])).rowCount === 1;
    const isOver = async (): Promise<boolean> =>
      (await isHalted()) || [...(await statuses()).keys()].every((status) => ['complete', 'error', 'update_fail'].includes(status));
    await until('the first block', async () => ((await statuses()).get('idle') ?? 0) < meters.length);
    const begun = performance.now();
    const beside = await measure(product, meters, async () => !(await isOver()));
    const seconds = (performance.now() - begun) / 1000;
    const pace = middle(beside.pace) / middle(alone.pace);
    const slower = quantile(beside.waits, 0.95) / quantile(alone.waits, 0.95);
    let right = 0;
    let unverified = 0;
    for (const { sn } of meters) {
      const device = await product.ask<{ flashedSha256: string | null; unverifiedOrders: number }>(`firmware/meter/${sn}`);
      if (device.flashedSha256 === order.sha256) right++;
      unverified += device.unverifiedOrders;
    }
    const uplink = await pool.query<{ alone: number; broadcast: number }>(
      `select (select sum(octets_sent)::float8 from upgrade_record where job_id = $1) as alone,
        (select coalesce(sum(octets_sent), 0)::float8 from upgrade_broadcast where job_id = $1) as broadcast`,
      [order.jobId],
    );
    const sent = (uplink.rows[0]?.alone ?? 0) + (uplink.rows[0]?.broadcast ?? 0);
    say(`     with the upgrade, ${seconds.toFixed(0)} s: ${tell(beside)}`);
    say(`     ends ${JSON.stringify([...(await statuses())])}`);
    say(`     octets over the uplinks: ${sent}, ${(sent / (meters.length * order.octets)).toFixed(3)} of one image for each meter`);
    const verdicts: [string, boolean][] = [
      [`the right hash: ${right} of ${meters.length}`, right === meters.length],
      [`activations of an unverified image: ${unverified}`, unverified === 0],
      [`pace of other readings: ${(pace * 100).toFixed(0)} %`, pace >= MIN_PACE],
      [`waiting time of an operator, p95: ${slower.toFixed(2)} ×`, slower <= MAX_WAIT],
    ];
    for (const [what, isGood] of verdicts) say(`${isGood ? 'ok   ' : 'WRONG'} ${what}`);
    return verdicts.every(([, isGood]) => isGood);
  } finally {
    await product.stop();
  }
}

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '50x20' },
    octets: { type: 'string', default: '8000' },
    protocol: { type: 'string', default: 'dlms_image' },
    rounds: { type: 'string', default: '3' },
    'per-dcu': { type: 'string', default: '4' },
  },
});
const isGood = await prove({
  scale: values.scale,
  octets: Number(values.octets),
  upgradeProtocol: values.protocol === 'dlms_image_via_dcu' ? 'dlms_image_via_dcu' : 'dlms_image',
  rounds: Number(values.rounds),
  perDcu: Number(values['per-dcu']),
});
process.exitCode = isGood ? 0 : 1;
