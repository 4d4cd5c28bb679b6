import type { Context } from '#db/context.ts';
import { BusCarrier } from '#nodes/bus-carrier.ts';
import type { ChangeLog } from '#nodes/change-log.ts';
import { Listening } from '#nodes/listening.ts';
import type { Node } from '#nodes/node.ts';
import type { LocalBus } from '#platform/bus.ts';

interface Joined {
  bus: LocalBus;
  changes: ChangeLog;
  node: Node;
}

/** Connects the bus and the log of changes with the other nodes. Returns a function that ends it. */
export function joinNodes(ctx: Context, { bus, changes, node }: Joined): () => Promise<void> {
  const listening = new Listening(ctx, node);
  const carrier = new BusCarrier(ctx, { bus, node, listening });
  carrier.start();
  changes.start(listening, ctx.settings);
  listening.start();
  return async () => {
    await Promise.all([carrier.stop(), changes.stop()]);
    await listening.stop();
  };
}
