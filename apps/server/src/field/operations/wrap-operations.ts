import type { DeviceTaskKind } from '@hes/contract/orders/every-order.ts';
import type { Operation, Operations } from '#tasks/operation.ts';

/** Adds to an operation what applies to every kind, or to the kinds that declare it. */
export type WrapOperation = <K extends DeviceTaskKind>(kind: K, operation: Operation<K>) => Operation<K>;

export const wrapOperations = (operations: Operations, wrap: WrapOperation): Operations =>
  // as: every entry keeps its kind.
  Object.fromEntries(
    Object.entries(operations).map(([kind, operation]) => [kind, wrap(kind as DeviceTaskKind, operation as Operation)]),
  ) as unknown as Operations;
