import { failed } from '@hes/contract/core/outcome.ts';
import { GUARDS } from '@hes/contract/core/guard.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { isStopPressed } from '#db/emergency-stop.ts';
import type { Db } from '#db/context.ts';
import { isPossiblyExecuted } from '#tasks/possibly-executed.ts';
import type { WrapOperation } from './wrap-operations.ts';

/**
 * Refuses queued orders while the emergency stop is pressed, for each danger whose calls it refuses. A command that may have been executed
 * is still read back. Relay orders have their own check.
 */
export const stoppable =
  (db: Db): WrapOperation =>
  (kind, operation) => {
    const { danger } = ORDERS[kind];
    if (!GUARDS[danger].isStopped || danger === 'supply') return operation;
    return async (item) =>
      !isPossiblyExecuted(item) && (await isStopPressed(db)) ? { outcome: failed('RELAY_STOPPED'), traceId: undefined } : operation(item);
  };
