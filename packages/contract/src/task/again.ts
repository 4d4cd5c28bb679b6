import { clock } from '../action/clock.ts';
import { dcuConfig } from '../action/dcu-config.ts';
import { eventRead } from '../action/event-read.ts';
import { onDemandKind, read } from '../action/read.ts';
import { realTime } from '../action/real-time.ts';
import { relay } from '../action/relay.ts';
import type { Action, Route } from '../core/route.ts';
import type { TaskRow } from './task.ts';

type OrderRoute = Route & { allow: { page: string; action: Action } };

/** What people order that reads and changes nothing, by the kind of its task: with the route that orders it. */
const READING_ORDERS: Readonly<Record<string, OrderRoute>> = {
  ...Object.fromEntries(onDemandKind.options.map((kind) => [kind, read.onDemand])),
  real_time: realTime.order,
  events: eventRead.order,
  clock_read: clock.order,
  relay_read: relay.read,
  dcu_config_read: dcuConfig.read,
};

/**
 * The route whose right it takes to order a task once more; undefined where that cannot be: what changes a device is ordered on its page,
 * which asks what has to be asked, and what a plan ordered is ordered by the plan.
 */
export const orderAgain = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): OrderRoute | undefined =>
  source === 'user' || source === 'api' ? READING_ORDERS[kind] : undefined;
