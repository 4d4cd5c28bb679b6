import type { Cluster } from './cluster.ts';

/** Result of one proof: whether it passed, and what was counted. */
export interface Verdict {
  passed: boolean;
  counts: Record<string, unknown>;
}

export interface Proof {
  id: string;
  title: string;
  run(cluster: Cluster, seed: number): Promise<Verdict>;
}

const ONLINE_WITHIN_MS = 120_000;

/** Waits until each device is held by a running node. */
export async function allHeld(cluster: Cluster): Promise<void> {
  if ((await cluster.until(ONLINE_WITHIN_MS, async () => (await cluster.unheld()) === 0)) === undefined)
    throw new Error(`${await cluster.unheld()} devices are held by no node`);
}
