import { setTimeout as wait } from 'node:timers/promises';
import type { Trouble } from './faults.ts';
import type { Draw } from './fleet-shape.ts';
import { count, type FaultTools } from './inject.ts';
import type { Product } from './product.ts';

const HOUR_MS = 3_600_000;
/** Longer than the lock timeouts of the product and than the longest response. */
const LOCK_MS = 32_000;
const PROXY_MS = 22_000;
const SLOW_MS = 250;
const FULL_MS = 8_000;
const CROWD_MS = 10_000;
/** Four times the five seconds of the list of faults, and longer than the longest response timeout. */
const STALL_MS = 20_000;
const CLOCK_MS = 20_000;

/** Applies a fault to the server or the database of one head-end. */
export async function strikeProduct(tools: FaultTools, product: Product, { name, spec: { trouble } }: Draw): Promise<void> {
  if (trouble.of === 'server') await strikeServer(tools, product, name, trouble.what);
  else if (trouble.of === 'database') await strikeDatabase(tools, product, name, trouble.what);
}

async function strikeServer(
  { tell, random, struck }: FaultTools,
  product: Product,
  name: string,
  what: (Trouble & { of: 'server' })['what'],
): Promise<void> {
  const began = performance.now();
  if (what === 'killed') {
    for (let kills = 0; kills < 2; kills++) {
      await wait(random.below(4_000));
      await product.killServer();
      tell({ t: 'killed', what: 'server', afterMs: Math.round(performance.now() - began) });
      count(struck, name);
    }
  } else if (what === 'stalled') {
    await product.stallServer(STALL_MS);
    count(struck, name);
  } else if (what === 'crowded') count(struck, name, '', await product.crowd(CROWD_MS));
  else {
    await product.setServerAhead(what === 'ahead' ? HOUR_MS : -HOUR_MS);
    await wait(CLOCK_MS);
    await product.setServerAhead(0);
    count(struck, name);
  }
}

async function strikeDatabase(
  { tell, struck }: FaultTools,
  product: Product,
  name: string,
  what: (Trouble & { of: 'database' })['what'],
): Promise<void> {
  const began = performance.now();
  if (what === 'locked') count(struck, name, '', await product.holdLocks(LOCK_MS));
  else if (what === 'ended') count(struck, name, '', await product.endConnections());
  else if (what === 'cut') count(struck, name, '', await product.throughProxy('cut', PROXY_MS));
  else if (what === 'slow') count(struck, name, '', await product.throughProxy('slow', PROXY_MS, SLOW_MS));
  else if (what === 'full') {
    await product.fillDisk(FULL_MS);
    count(struck, name);
  } else {
    await product.killDatabase(what);
    count(struck, name);
    tell({ t: 'killed', what: 'database', afterMs: Math.round(performance.now() - began) });
  }
}
