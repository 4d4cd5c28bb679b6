import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { vi } from 'vitest';
import type { Epoch } from '../src/nodes/epoch.ts';
import { createBus } from '../src/platform/bus.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Dispatcher } from '../src/tasks/dispatcher.ts';
import type { ClaimedItem, Ownership, WorkItem, WorkReport } from '../src/tasks/operation.ts';
import type { Pace } from '../src/tasks/worker.ts';
import { recordedLog } from './recorded-log.ts';
import { scriptedQueue } from './scripted-queue.ts';

export const claimedItem = (id: string, values: Partial<ClaimedItem> = {}): ClaimedItem => ({
  id,
  taskId: '1',
  kind: 'registers',
  source: 'user',
  priority: 3,
  deviceKind: 'meter',
  dcuId: '5',
  meterId: `meter of ${id}`,
  attempts: 1,
  params: { items: ['E_PLUS'] },
  ...values,
});

const PACE: Pace = { maintenanceMs: 60_000, offlineGraceS: 5, unreachableMs: 5_000, retryWait: 1, fairMs: 600_000 };

/** A dispatcher over a scripted database and DCU, under fake timers. The DCU '5' is reachable and serves one meter at a time. */
export function dispatcherBench(pace: Partial<Pace> = {}) {
  // Periodic jobs begin at a phase within the first second of the process, unlike later.
  vi.advanceTimersByTime(1_000);
  const queue = scriptedQueue();
  const { log, lines } = recordedLog();
  const bus = createBus();
  const started: string[] = [];
  const ends = new Map<string, (outcome: Outcome<ItemResult>) => void>();
  const operation = async (item: WorkItem): Promise<WorkReport> => {
    started.push(item.id);
    return { outcome: await new Promise<Outcome<ItemResult>>((resolve) => ends.set(item.id, resolve)), traceId: undefined };
  };
  const state = { isOnline: true, isReachable: true, mayServe: true, hasTurn: true, slots: 1 };
  const listeners = { reachable: new Set<(dcuId: string) => void>(), death: new Set<() => void>() };
  const subscribe = <T>(to: Set<T>, listener: T) => {
    to.add(listener);
    return () => void to.delete(listener);
  };
  const reach = {
    prepare: () => Promise.resolve(),
    connect: vi.fn((_dcuId: string) => Promise.resolve(state.isReachable)),
    isOnline: () => state.isOnline,
    epochOf: () => '1' as Epoch, // as: the answers of the database are given
    parallelMeters: () => state.slots,
    onDatabaseBack: vi.fn(),
    onReachable: (listener: (dcuId: string) => void) => subscribe(listeners.reachable, listener),
  };
  const node: Ownership = {
    owner: 'me',
    others: ['8', '9'],
    mayServe: vi.fn(() => state.mayServe),
    onDeath: (listener: () => void) => subscribe(listeners.death, listener),
    takeTurn: vi.fn(() => Promise.resolve(state.hasTurn)),
  };
  const operations = { registers: operation, relay_disconnect: operation };
  const ctx = { pool: queue.pool, bus, clock: systemClock, log };
  const dispatcher = new Dispatcher(ctx, { operations, reach, node }, { ...PACE, ...pace });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    dispatcher,
    queue,
    lines,
    bus,
    reach,
    node,
    started,
    listeners,
    state,
    settle,
    async start() {
      await dispatcher.start();
      await settle();
    },
    /** The next claims find these items, one batch each. */
    queueBatches(...batches: ClaimedItem[][]) {
      queue.answers.claim = () => ({ rows: (batches.shift() ?? []).map((item) => ({ meterIds: null, ...item })) });
    },
    /** Makes the DCU busy with items of these priorities. */
    setBusy(first = 3, last = first, nodeId: string | null = null) {
      queue.answers.busy = () => ({ rows: [{ dcuId: '5', first, last, nodeId }] });
    },
    async end(id: string, outcome: Outcome<ItemResult> = ok({ rows: 1 })) {
      ends.get(id)?.(outcome);
      await settle();
    },
    fail: (id: string) => ends.get(id)?.(failed('METER_TIMEOUT')),
    /** Waits until the periodic scan has just run, so that the next one is a second away. */
    async awaitScan() {
      const before = queue.countOf('busy');
      while (queue.countOf('busy') === before) await vi.advanceTimersByTimeAsync(10);
    },
    async stop() {
      const stopped = dispatcher.stop();
      await vi.advanceTimersByTimeAsync(6_000);
      await stopped;
    },
  };
}
