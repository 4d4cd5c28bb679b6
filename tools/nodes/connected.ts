import { cpuUsage } from 'node:process';
import type { Cluster } from './cluster.ts';
import { processorSeconds, processorSecondsOfTree } from './processor.ts';
import type { Verdict } from './proof.ts';

const HELD_WITHIN_MS = 300_000;

/** T0: all devices connect to the nodes that start; counts the processor time that one connection costs each party until then. */
export async function allConnect(cluster: Cluster): Promise<Verdict> {
  const heldAfterMs = await cluster.until(cluster.limitOf(HELD_WITHIN_MS), async () => (await cluster.unheld()) === 0);
  const held = await cluster.heldBy();
  const devices = Object.values(held).reduce((sum, count) => sum + count, 0);
  const { user, system } = cpuUsage();
  const seconds = {
    nodes: cluster.nodes.reduce((sum, node) => sum + (node.pid === undefined ? 0 : processorSeconds(node.pid)), 0),
    database: processorSecondsOfTree(await cluster.postmasterPid()),
    fleet: cluster.simulatorPids.reduce((sum, each) => sum + processorSeconds(each), 0),
    'balancer and proof': (user + system) / 1e6,
  };
  const processorMs = Object.fromEntries(
    Object.entries(seconds).map(([party, each]) => [party, Number(((1000 * each) / Math.max(1, devices)).toFixed(1))]),
  );
  return {
    passed: heldAfterMs !== undefined && devices > 0,
    counts: {
      held,
      unheld: await cluster.unheld(),
      secondsSinceReady: Math.round((performance.now() - cluster.nodesReadyAt) / 1000),
      processorMs,
    },
  };
}
