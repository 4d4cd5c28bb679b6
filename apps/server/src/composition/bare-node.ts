import type { Context } from '#db/context.ts';
import { Node, type NodeOptions } from '#nodes/node.ts';
import type { Stops } from './stops.ts';

/** Joins the nodes of the database without a field engine: it holds no device, so it has handed over all when it is ordered to drain. */
export async function startBareNode(ctx: Context, stops: Stops, options: NodeOptions): Promise<Node> {
  const node = new Node(ctx, options);
  node.onDrain((isDraining) => {
    if (isDraining) void node.noteDrained(0).catch((error: unknown) => ctx.log.warn('The draining could not be noted', { error }));
  });
  await node.start();
  stops.push(() => node.stop());
  return node;
}
