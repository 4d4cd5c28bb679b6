import { withCommandLog } from '#field/operations/command-outcome.ts';
import { afterRestarts } from '#field/operations/restarts.ts';
import { stoppable } from '#field/operations/stoppable.ts';
import { wrapOperations, type WrapOperation } from '#field/operations/wrap-operations.ts';
import { refuseLacking } from '#southbound/refuse-lacking.ts';
import type { Operations } from '#tasks/operation.ts';
import { featureOperations } from './feature-operations.ts';
import type { FeatureTools } from './feature-tools.ts';

/** The operation of every kind of order to devices, for the dispatcher. A kind without one does not compile. */
export function operationsOf(tools: FeatureTools): Operations {
  const operations: Operations = featureOperations(tools);
  const waiting = afterRestarts(tools.restarts);
  const wraps: WrapOperation[] = [
    // The upgrade handles the restarts of its meters itself.
    (kind, operation) => (kind === 'upgrade' ? operation : waiting(kind, operation)),
    withCommandLog(tools),
    stoppable(tools.ctx.db),
    refuseLacking(tools.ctx.db),
  ];
  return wraps.reduce(wrapOperations, operations);
}
