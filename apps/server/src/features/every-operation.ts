import type { Operations } from '#tasks/operation.ts';
import { archiveOperations } from '#field/operations/archive-orders.ts';
import { auditReadings } from '#field/operations/audit-readings.ts';
import { clockBroadcast, clockRead, clockSync } from '#field/operations/clock.ts';
import { collect } from '#field/operations/collect.ts';
import { withCommandLog } from '#field/operations/command-outcome.ts';
import { DcuCaches } from '#field/operations/dcu-caches.ts';
import { dcuOperations } from '#field/operations/dcu-orders.ts';
import { dcuParameterOperations } from '#field/operations/dcu-parameter.ts';
import { bringDcuTasks } from '#field/operations/dcu-tasks.ts';
import { discoveryOperations } from '#field/operations/discovery.ts';
import { objectListOperations } from '#field/operations/object-list.ts';
import { onDemandOperations } from '#field/operations/on-demand.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readEvents } from '#field/operations/read-events.ts';
import { realTime } from '#field/operations/real-time.ts';
import { refill } from '#field/operations/refill.ts';
import { stoppable } from '#field/operations/stoppable.ts';
import { topologyOperations } from '#field/operations/topology.ts';
import { afterRestarts, Restarts } from '#field/operations/upgrade/restarts.ts';
import { upgradeOperations } from '#field/operations/upgrade/upgrade.ts';
import { wrapOperations, type WrapOperation } from '#field/operations/wrap-operations.ts';
import { featureOperations } from './feature-operations.ts';

/** The operation of every kind of order to devices, for the dispatcher. */
export function operationsOf(tools: OperationTools): Operations {
  const caches = new DcuCaches();
  const restarts = new Restarts();
  const operations: Operations = {
    ...featureOperations(tools),
    ...onDemandOperations(tools, caches),
    ...archiveOperations(tools),
    ...discoveryOperations(tools),
    ...dcuOperations(tools),
    ...dcuParameterOperations(tools),
    ...objectListOperations(tools),
    ...topologyOperations(tools),
    ...upgradeOperations(tools, restarts),
    dcu_tasks: (item) => bringDcuTasks(tools, item),
    audit_readings: (item) => auditReadings(tools, item),
    collect: (item) => collect(tools, item, caches),
    refill: (item) => refill(tools, item, caches),
    events: (item) => readEvents(tools, item),
    real_time: (item) => realTime(tools, item),
    clock_read: (item) => clockRead(tools, item),
    clock_sync: (item) => clockSync(tools, item),
    clock_broadcast: (item) => clockBroadcast(tools, item),
  };
  const waiting = afterRestarts(restarts);
  const wraps: WrapOperation[] = [
    // The upgrade itself talks to meters that restart.
    (kind, operation) => (kind === 'upgrade' ? operation : waiting(kind, operation)),
    withCommandLog(tools),
    stoppable(tools.ctx.db),
  ];
  return wraps.reduce(wrapOperations, operations);
}
