import { failed } from '@hes/contract/core/outcome.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { isStopPressed } from '#db/emergency-stop.ts';
import type { Db } from '#db/context.ts';
import type { WrapOperation } from './wrap-operations.ts';

/** Orders that endanger the reach of devices are not sent while the emergency stop is pressed. Relays have a check of their own. */
export const stoppable =
  (db: Db): WrapOperation =>
  (kind, operation) =>
    ORDERS[kind].danger === 'reach'
      ? async (item) => ((await isStopPressed(db)) ? { outcome: failed('RELAY_STOPPED'), traceId: undefined } : operation(item))
      : operation;
