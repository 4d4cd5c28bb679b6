import { copyFileSync } from 'node:fs';
import { say } from '../lib/say.mjs';
import type { PlanOrder } from './campaign.ts';
import { readHistory } from './history.ts';
import { judge } from './judge.ts';
import { NodeCluster, type NodeClusterOptions } from './node-cluster.ts';
import { completed, isClean, type Result } from './result.ts';
import { SeveralSeeds } from './several-seeds.ts';
import { strikeNodes } from './strike-nodes.ts';

/** Runs on one start: the clocks of a start go ahead with each of them. */
const RUNS_OF_START = 10;

export interface SeedsOrder {
  worldSeed: number;
  /** Faults that are active together; each group is a run of its own. */
  groups: readonly (readonly string[])[];
  seeds: Iterable<number>;
  fleet: Pick<PlanOrder, 'scale' | 'direct' | 'onlyDirect'>;
  keep: boolean;
  nodes: number;
}

/** A running cluster and what earlier runs have left on it. */
interface Start {
  cluster: NodeCluster;
  seeds: SeveralSeeds;
}

async function start(options: NodeClusterOptions): Promise<Start> {
  const cluster = new NodeCluster(options);
  await cluster.start();
  return { cluster, seeds: new SeveralSeeds(cluster, (tools, draw) => strikeNodes(tools, cluster, draw)) };
}

async function end(started: Start | undefined, isSound: boolean): Promise<void> {
  await started?.cluster.stop();
  if (isSound) started?.cluster.remove();
  else if (started !== undefined) say(`the logs of the head-ends are in ${started.cluster.folder}`);
}

/** Runs seeds of faults of head-ends, several on one start. A finding ends the start, so that later seeds begin on sound data. */
export async function* seedsOnStarts({ worldSeed, groups, seeds, fleet, keep, nodes }: SeedsOrder): AsyncGenerator<Result> {
  const hasPrevious = groups.flat().includes('mixed-versions');
  let started: Start | undefined;
  const runOf = async (name: string, order: PlanOrder): Promise<Result> => {
    started ??= await start({ seed: worldSeed, scale: fleet.scale, direct: fleet.direct, keep, nodes, hasPrevious });
    // A failover of the run before has used the standby up.
    await started.cluster.addStandby();
    const file = await started.seeds.run(worldSeed, order);
    const verdict = await judge(readHistory(file));
    const history = isClean(verdict) ? null : `chaos-${name.replaceAll(' ', '-')}-${Date.now()}.jsonl`;
    if (history !== null) copyFileSync(file, history);
    return { name, verdict, history };
  };
  try {
    for (const seed of seeds)
      for (const names of groups) {
        const name = groups.length > 1 ? `seed ${seed} ${names.join(' ')}` : `seed ${seed}`;
        const began = performance.now();
        const result = await completed(name, () => runOf(name, { names, seed, ...fleet }));
        say(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
        yield result;
        const isSound = isClean(result.verdict);
        if (isSound && (started?.seeds.count ?? 0) < RUNS_OF_START) continue;
        await end(started, isSound);
        started = undefined;
      }
  } finally {
    await end(started, true);
  }
}
