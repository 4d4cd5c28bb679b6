import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../fuzz/random.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';

const METERS_PER_ORDER = 500;
const METERS_PER_OPERATOR = 5;
const REGISTER = { kind: 'registers', store: true, items: ['E_PLUS'] };
const TRIES = 100;
const AGAIN_MS = 200;

/** Outcomes of the items of tasks: number of items by state, or by reason of a failure. */
export type Outcomes = Record<string, number>;

export const onlySuccess = (outcomes: Outcomes): boolean => Object.keys(outcomes).every((outcome) => outcome === 'read_success');

const ids = async (cluster: Cluster): Promise<string[]> =>
  (await cluster.rows<{ id: string }>('select id from meter order by id')).map(({ id }) => id);

/** Orders a reading at a node, or at another one if it does not answer; returns the id of the task. Default: of a register. */
export async function orderAt(cluster: Cluster, from: NodeProcess, meterIds: readonly string[], what: object = REGISTER): Promise<string> {
  const order = { meterIds, ...what };
  const nodes = [from, ...cluster.nodes.filter((node) => node !== from)].filter((node) => node.has('web'));
  for (let tries = 0; tries < TRIES; tries++) {
    const node = nodes[tries % nodes.length] ?? from;
    if (!node.isRunning || !(await node.isReady())) continue;
    const answer = await cluster.call(node, 'POST', '/action/read/on-demand', order);
    if (answer?.status === 202) return (answer.body as { taskId: string }).taskId; // as: the contract of the route
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      throw new Error(`The order was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    await wait(AGAIN_MS);
  }
  throw new Error('No node takes the order');
}

/** Orders a reading of every meter. Returns the ids of the tasks. */
export async function orderAll(cluster: Cluster, from: NodeProcess, what?: object): Promise<string[]> {
  const all = await ids(cluster);
  const tasks: string[] = [];
  for (let at = 0; at < all.length; at += METERS_PER_ORDER)
    tasks.push(await orderAt(cluster, from, all.slice(at, at + METERS_PER_ORDER), what));
  return tasks;
}

/** Orders a reading of a few meters. */
export async function orderSome(cluster: Cluster, from: NodeProcess, random: Random): Promise<string> {
  const all = await ids(cluster);
  return orderAt(
    cluster,
    from,
    Array.from({ length: METERS_PER_OPERATOR }, () => random.pick(all)),
  );
}

export async function outcomesOf(cluster: Cluster, tasks: readonly string[]): Promise<Outcomes> {
  const found = await cluster.rows<{ outcome: string; count: number }>(
    `select coalesce(reason_code, state) as outcome, count(*)::int as count from task_item_device where task_id = any($1::bigint[])
     group by 1 order by 1`,
    [tasks],
  );
  return Object.fromEntries(found.map(({ outcome, count }) => [outcome, count]));
}

/** Waits until every item has ended; returns the outcomes, in which open items keep their state. */
export async function endOf(cluster: Cluster, tasks: readonly string[], limitMs: number): Promise<Outcomes> {
  await cluster.until(cluster.limitOf(limitMs), async () => {
    const [open] = await cluster.rows<{ count: number }>(
      "select count(*)::int as count from task_item_device where task_id = any($1::bigint[]) and state in ('waiting', 'reading')",
      [tasks],
    );
    return open?.count === 0;
  });
  return outcomesOf(cluster, tasks);
}

/** Waits until this share of the items has ended. */
export async function untilShare(cluster: Cluster, tasks: readonly string[], share: number, limitMs: number): Promise<void> {
  await cluster.until(cluster.limitOf(limitMs), async () => {
    const [found] = await cluster.rows<{ share: number }>(
      `select (count(*) filter (where state not in ('waiting', 'reading')))::float8 / greatest(count(*), 1) as share
       from task_item_device where task_id = any($1::bigint[])`,
      [tasks],
    );
    return (found?.share ?? 0) >= share;
  });
}
