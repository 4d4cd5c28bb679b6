import { failed } from '@hes/contract/core/outcome.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { isStopPressed } from '#db/emergency-stop.ts';
import type { Db } from '#db/context.ts';
import type { WrapOperation } from './wrap-operations.ts';

/** Refuses orders that endanger the connection to devices while the emergency stop is pressed. Relay orders have their own check. */
export const stoppable =
  (db: Db): WrapOperation =>
  (kind, operation) =>
    ORDERS[kind].danger === 'reach'
      ? async (item) => ((await isStopPressed(db)) ? { outcome: failed('RELAY_STOPPED'), traceId: undefined } : operation(item))
      : operation;
