import { createHash } from 'node:crypto';
import type { Context } from '#db/context.ts';
import { BusCarrier } from '#nodes/bus-carrier.ts';
import type { ChangeLog } from '#nodes/change-log.ts';
import { Listening } from '#nodes/listening.ts';
import type { Node } from '#nodes/node.ts';
import type { LocalBus } from '#platform/bus.ts';
import type { BusServers } from '#platform/config.ts';

interface Joined {
  bus: LocalBus;
  changes: ChangeLog;
  node: Node;
  /** Servers of NATS; undefined: PostgreSQL carries the messages. */
  servers: BusServers | undefined;
}

/** First token of the subjects of an installation, which those that share a server must not share. */
const prefixOf = ({ secrets }: Pick<Context, 'secrets'>): string =>
  `hes-${createHash('sha256').update(secrets.derive('bus')).digest('hex').slice(0, 16)}`;

/** Carries messages by NATS. Its client is loaded only here, because an installation without it needs its memory. */
async function carryByNats(ctx: Context, { bus, changes, node }: Joined, servers: BusServers): Promise<() => Promise<void>> {
  const [{ NatsLink }, { NatsCarrier }] = await Promise.all([import('#nodes/nats-link.ts'), import('#nodes/nats-carrier.ts')]);
  const link = new NatsLink(servers, node.name, ctx.log);
  const carrier = new NatsCarrier(ctx, { bus, node, link, prefix: prefixOf(ctx) });
  carrier.start();
  // What cut the bus off may have cut off the bells of the database as well.
  link.onOpen(() => changes.readNow());
  if (!(await link.settle()))
    ctx.log.warn('The bus of HES_BUS_URL is not reached yet: this head-end starts without it', { servers: servers.servers });
  return async () => {
    await carrier.stop();
    await link.stop();
  };
}

function carryByPostgres(ctx: Context, { bus, node }: Joined, listening: Listening): () => Promise<void> {
  const carrier = new BusCarrier(ctx, { bus, node, listening });
  carrier.start();
  return () => carrier.stop();
}

/** Connects the bus and the log of changes with the other nodes. Returns a function that ends it. */
export async function joinNodes(ctx: Context, joined: Joined): Promise<() => Promise<void>> {
  const { changes, node, servers } = joined;
  const listening = new Listening(ctx, node);
  changes.start(listening, ctx.settings);
  const stopCarrier = servers === undefined ? carryByPostgres(ctx, joined, listening) : await carryByNats(ctx, joined, servers);
  listening.start();
  return async () => {
    await Promise.all([stopCarrier(), changes.stop()]);
    await listening.stop();
  };
}
