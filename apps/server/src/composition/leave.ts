import { setTimeout as wait } from 'node:timers/promises';
import type { Node } from '#nodes/node.ts';
import type { Log } from '#platform/log.ts';
import type { Drain } from './drain.ts';
import type { OpenRequests } from './open-requests.ts';

export interface LeaveParts {
  node: Pick<Node, 'drain' | 'hasOtherWeb'>;
  /** Undefined: this node has not the role `field`. */
  drain: Pick<Drain, 'beforeStop'> | undefined;
  /** Undefined: this node has not the role `web`. */
  requests: Pick<OpenRequests, 'refuseNew' | 'settle'> | undefined;
  log: Log;
  /** Time in which balancers notice that `/readyz` fails. */
  noticeMs: number;
  /** Time for requests that have begun. */
  limitMs: number;
}

/**
 * Takes this head-end out before its process stops, so that no device and no caller meets a failure: devices are handed over, balancers notice
 * that it is not ready, no request begins after that, and those that have begun are answered. Without another head-end for callers none of
 * this helps them.
 */
export async function leave({ node, drain, requests, log, noticeMs, limitMs }: LeaveParts): Promise<void> {
  if (requests === undefined || !node.hasOtherWeb) return drain?.beforeStop();
  await node.drain();
  const settle = async (): Promise<boolean> => {
    await wait(noticeMs);
    requests.refuseNew();
    return requests.settle(limitMs);
  };
  const [isSettled] = await Promise.all([settle(), drain?.beforeStop()]);
  if (!isSettled) log.warn('Requests that took longer than the time to drain are cut off');
}
