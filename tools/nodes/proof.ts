import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';

/** Result of one proof: whether it passed, and what was counted. A proof that this machine cannot run is skipped, with the reason. */
export type Verdict = { passed: boolean; counts: Record<string, unknown> } | { skipped: string };

export interface Proof {
  id: string;
  title: string;
  run(cluster: Cluster, seed: number): Promise<Verdict>;
}

/** Devices must have a node again within this time (several machines, T1). */
export const OWNED_WITHIN_MS = 30_000;
const ONLINE_WITHIN_MS = 120_000;

/** Waits until each device is held by a running node. */
export async function allHeld(cluster: Cluster): Promise<void> {
  if ((await cluster.until(cluster.limitOf(ONLINE_WITHIN_MS), async () => (await cluster.unheld()) === 0)) === undefined)
    throw new Error(`devices that no node holds: ${(await cluster.describeUnheld()).join('; ')}`);
}

/** Waits until each device is held, and each node holds some that dial in: a node without devices proves nothing. */
export async function allSpread(cluster: Cluster): Promise<void> {
  await allHeld(cluster);
  await cluster.spread();
  const fields = cluster.nodes.filter((node) => node.isRunning && node.has('field'));
  const spread = await cluster.until(cluster.limitOf(ONLINE_WITHIN_MS), async () => {
    const held = await cluster.heldBy('dial_in');
    return (await cluster.unheld()) === 0 && fields.every(({ name }) => (held[name] ?? 0) > 0);
  });
  if (spread === undefined) throw new Error(`The devices are not spread: ${JSON.stringify(await cluster.heldBy('dial_in'))}`);
}

/** The owner of the leases of a node; empty: the others have declared it dead. */
export async function ownerOf(cluster: Cluster, { name }: NodeProcess): Promise<string> {
  const [found] = await cluster.rows<{ owner: string }>('select owner from node where name = $1 and ended_at is null', [name]);
  return found?.owner ?? '';
}
