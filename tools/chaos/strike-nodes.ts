import { setTimeout as wait } from 'node:timers/promises';
import type { NodeProcess } from '../nodes/node-process.ts';
import type { Draw } from './fleet-shape.ts';
import { count, type FaultTools } from './inject.ts';
import type { NodeCluster } from './node-cluster.ts';

/** Longer than the 20 s after which the others declare a node dead, and than a lease of 60 s. */
const PAUSE_MS = 70_000;
/** Longer than the others wait before they declare a node dead. */
const PARTITION_MS = 35_000;
/** How long a killed node stays away: it is back before the others have noticed, or after they have taken its devices. */
const AWAY_MS = [0, 25_000];
const SOON_MS = 4_000;
/** How long a head-end of the previous release works beside the others. */
const OLDER_MS = 30_000;

/** Starts that a service manager tries: a head-end without the database ends at its start. */
const STARTS = 10;

async function startAgain(node: NodeProcess, program?: string): Promise<void> {
  for (let left = STARTS; ; left--)
    try {
      return await node.start(program);
    } catch (error) {
      if (left === 0 || node.isRunning) throw error;
    }
}

/** Applies a fault to one of the head-ends, to all in turn, or to what is between them and the database. */
export async function strikeNodes(tools: FaultTools, cluster: NodeCluster, { name, spec: { trouble } }: Draw): Promise<void> {
  if (trouble.of !== 'node') return;
  const { tell, random, struck } = tools;
  const began = performance.now();
  const victim: NodeProcess = random.pick(cluster.nodes);
  const noteKilled = (): void => tell({ t: 'killed', what: victim.name, afterMs: Math.round(performance.now() - began) });
  switch (trouble.what) {
    case 'killed':
      for (const awayMs of AWAY_MS) {
        await wait(random.below(SOON_MS));
        await victim.end('SIGKILL');
        noteKilled();
        await wait(awayMs);
        await startAgain(victim);
        count(struck, name);
      }
      return;
    case 'paused':
      await victim.pause(PAUSE_MS);
      return count(struck, name);
    case 'cut off':
      for (const link of victim.links) link.cut();
      await wait(PARTITION_MS);
      for (const link of victim.links) link.heal();
      return count(struck, name);
    case 'deaf':
      victim.busLink.cut();
      await wait(PARTITION_MS);
      victim.busLink.heal();
      return count(struck, name);
    case 'failed over':
      await wait(random.below(SOON_MS));
      await cluster.failOver();
      tell({ t: 'killed', what: 'primary database', afterMs: Math.round(performance.now() - began) });
      return count(struck, name);
    case 'of two versions':
      await victim.end('SIGTERM');
      await startAgain(victim, cluster.previousProgram);
      await wait(OLDER_MS);
      await victim.end('SIGTERM');
      await startAgain(victim);
      return count(struck, name);
    case 'restarted':
      for (const node of cluster.nodes) {
        await node.end('SIGTERM');
        await startAgain(node);
        count(struck, name);
      }
  }
}
