import { ORDERS } from '@hes/contract/orders/every-order.ts';
import type { Db } from '#db/context.ts';
import { findDcusWithout } from '#db/dcu-parts.ts';
import type { WrapOperation } from '#field/operations/wrap-operations.ts';
import { lacks } from './dcu-parts.ts';

/** Ends orders to DCUs that lack the part which the order needs, before anything is sent. Orders to meters behind them are not concerned. */
export const refuseLacking =
  (db: Db): WrapOperation =>
  (kind, operation) => {
    const { needs } = ORDERS[kind];
    if (needs === null) return operation;
    return async (item) =>
      item.deviceKind === 'dcu' && (await findDcusWithout(db, [item.dcuId], needs)).length > 0
        ? { outcome: lacks(needs), traceId: undefined }
        : operation(item);
  };
