import { failed } from '@hes/contract/core/outcome.ts';
import { STOPPED_KINDS } from '@hes/contract/task/kind.ts';
import { isStopPressed } from '#db/emergency-stop.ts';
import type { Db } from '#platform/context.ts';
import type { Operation } from '#tasks/operation.ts';

/** Dangerous work that waits in the queue is not sent while the emergency stop is pressed. Relays have a gate of their own. */
export const stoppable = (db: Db, operations: Record<string, Operation>): Record<string, Operation> => ({
  ...operations,
  ...Object.fromEntries(
    STOPPED_KINDS.flatMap((kind): [string, Operation][] => {
      const operation = operations[kind];
      if (operation === undefined) return [];
      return [
        [kind, async (item) => ((await isStopPressed(db)) ? { outcome: failed('RELAY_STOPPED'), traceId: undefined } : operation(item))],
      ];
    }),
  ),
});
