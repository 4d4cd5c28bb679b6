import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../fuzz/random.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, onlySuccess, orderAll, orderSome } from './orders.ts';
import { missingPrevious, previousRevision, unpackRelease } from './previous-release.ts';
import { allHeld, allSpread, type Verdict } from './proof.ts';

/** How long both versions work together. */
const TOGETHER_MS = 60_000;
const ENDED_WITHIN_MS = 240_000;

/** Lines of errors in the logs of all nodes. */
const errorsIn = ({ nodes, folder }: Cluster): number =>
  nodes
    .map(({ name }) => readFileSync(join(folder, `${name}.log`), 'utf8').match(/"level":"(error|fatal)"/g)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);

/** T12: a node of the release before the newest migration works beside the others, and is then replaced. */
export async function mixVersions(cluster: Cluster, seed: number): Promise<Verdict> {
  const missing = missingPrevious();
  if (missing !== undefined) return { skipped: missing };
  const revision = previousRevision();
  const program = unpackRelease(revision, join(cluster.folder, `previous-${seed}`));
  const victim = cluster.nodes[seed % cluster.nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
  const random = new Random(seed);
  await allHeld(cluster);
  const errorsBefore = errorsIn(cluster);
  // A refused start throws.
  await victim.end('SIGTERM');
  await victim.start(program);
  await allSpread(cluster);
  const tasks: string[] = [];
  for (const until = performance.now() + TOGETHER_MS; performance.now() < until;) {
    tasks.push(...(await orderAll(cluster, random.pick(cluster.nodes))), await orderSome(cluster, victim, random));
    await endOf(cluster, tasks, ENDED_WITHIN_MS);
  }
  const held = (await cluster.heldBy())[victim.name] ?? 0;
  await victim.end('SIGTERM');
  await victim.start();
  await allHeld(cluster);
  tasks.push(...(await orderAll(cluster, victim)));
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  const errors = errorsIn(cluster) - errorsBefore;
  return {
    passed: errors === 0 && held > 0 && onlySuccess(outcomes),
    counts: { revision: revision.slice(0, 8), heldByPrevious: held, errors, outcomes },
  };
}
