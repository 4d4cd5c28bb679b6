import type { Operations } from '#tasks/operation.ts';
import { archiveOperations } from './archive-orders.ts';
import { auditReadings } from './audit-readings.ts';
import { clockBroadcast, clockRead, clockSync } from './clock.ts';
import { collect } from './collect.ts';
import { withCommandLog } from './command-outcome.ts';
import { DcuCaches } from './dcu-caches.ts';
import { dcuOperations } from './dcu-orders.ts';
import { dcuParameterOperations } from './dcu-parameter.ts';
import { bringDcuTasks } from './dcu-tasks.ts';
import { discoveryOperations } from './discovery.ts';
import { objectListOperations } from './object-list.ts';
import { onDemandOperations } from './on-demand.ts';
import type { OperationTools } from './operation-tools.ts';
import { readEvents } from './read-events.ts';
import { realTime } from './real-time.ts';
import { refill } from './refill.ts';
import { relayOperations } from './relay.ts';
import { stoppable } from './stoppable.ts';
import { topologyOperations } from './topology.ts';
import { afterRestarts, Restarts } from './upgrade/restarts.ts';
import { upgradeOperations } from './upgrade/upgrade.ts';
import { wrapOperations, type WrapOperation } from './wrap-operations.ts';

/** The operation of every kind of order to devices, for the dispatcher. */
export function operationsOf(tools: OperationTools): Operations {
  const caches = new DcuCaches();
  const restarts = new Restarts();
  const operations: Operations = {
    ...onDemandOperations(tools, caches),
    ...archiveOperations(tools),
    ...discoveryOperations(tools),
    ...dcuOperations(tools),
    ...dcuParameterOperations(tools),
    ...objectListOperations(tools),
    ...relayOperations(tools),
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
