import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { DeviceTaskKind, ParamsOf, TaskKind } from '@hes/contract/orders/every-order.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';

/** A device that an order is for. A meter is reached through its DCU. */
export interface OrderedDevice {
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
  meterId: string | null;
}

/** An item that was claimed from the queue: one device. */
export interface ClaimedItem {
  id: string;
  taskId: string;
  kind: string;
  source: 'user' | 'plan' | 'system' | 'api';
  priority: number;
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
  meterId: string | null;
  /** This one included. */
  attempts: number;
  /** Of the task, as stored. */
  params: Record<string, unknown>;
}

/** A claimed item of a known kind, with the params that its order declares. */
export interface WorkItem<K extends TaskKind = TaskKind> extends Omit<ClaimedItem, 'params'> {
  kind: K;
  params: ParamsOf<K>;
}

/** What came of a piece of work. */
export interface WorkReport {
  outcome: Outcome<ItemResult>;
  traceId: string | undefined;
  /** Readings on their way into the database: the item is done when they are stored, the channel is free before. */
  stored?: Promise<unknown> | undefined;
  /** The item is not finished: its next turn begins after this many milliseconds. */
  againInMs?: number | undefined;
  /** Details for the outcome in the command log; null when the operation writes its own entries. */
  logged?: Record<string, unknown> | null;
}

/** Executes an item. Errors of devices are in the report; an exception is a bug and fails this item only. */
export type Operation<K extends DeviceTaskKind = DeviceTaskKind> = (item: WorkItem<K>) => Promise<WorkReport>;
/** One operation for every kind of order to devices. */
export type Operations = { readonly [K in DeviceTaskKind]: Operation<K> };

/** How the queue reaches DCUs; the field engine is behind it. */
export interface Reach {
  /** Told what is about to be done, so that what all of it needs is fetched in one go. */
  prepare(items: readonly ClaimedItem[]): Promise<void>;
  /** Whether there is a session with the DCU now; dials it first when it is one we dial. */
  connect(dcuId: string): Promise<boolean>;
  isOnline(dcuId: string): boolean;
  /** Meters the DCU serves at the same time. */
  parallelMeters(dcuId: string): number;
  /** Told whenever a DCU becomes reachable. Returns the way to stop listening. */
  onReachable(listener: (dcuId: string) => void): () => void;
}
