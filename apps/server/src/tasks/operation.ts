import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { DeviceTaskKind, TaskKind } from '@hes/contract/orders/every-order.ts';
import type { ParamsOf } from '@hes/contract/orders/order-params.ts';
import type { Epoch } from '#nodes/epoch.ts';
import type { Turns } from '#nodes/turns.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { SharedClaim } from './shared-claim.ts';

/** A target device of an order. A meter is reached through its DCU. */
export interface OrderedDevice {
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
  meterId: string | null;
}

/** A row claimed from the queue: one device, or the members of a shared item, which lie behind one DCU. */
export interface ClaimedRow extends Omit<ClaimedItem, 'shared'> {
  meterIds: string[] | null;
}

/** The work of one task on one device. */
export interface ClaimedItem {
  /** Members of a shared item have the same id. */
  id: string;
  taskId: string;
  kind: string;
  source: 'user' | 'plan' | 'system' | 'api';
  priority: number;
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
  meterId: string | null;
  /** Number of claims, including the present one. */
  attempts: number;
  /** Params of the task as stored, not yet validated. */
  params: Record<string, unknown>;
  /** Span that ordered the task. Absent or null: none. */
  traceparent?: string | null;
  /** The claim that the members of a shared item have in common; absent: an item of one device. */
  shared?: SharedClaim;
}

/** A claimed item of a known kind, with the params that its order declares. */
export interface WorkItem<K extends TaskKind = TaskKind> extends Omit<ClaimedItem, 'params'> {
  kind: K;
  params: ParamsOf<K>;
}

/** Result of one execution of an item. */
export interface WorkReport {
  outcome: Outcome<ItemResult>;
  traceId: string | undefined;
  /** Resolves when the readings are stored. The item ends then; the DCU's channel is free earlier. */
  stored?: Promise<unknown> | undefined;
  /** Set for an unfinished item: it is due again after this many milliseconds. */
  againInMs?: number | undefined;
  /** Details for the outcome in the command log; null when the operation writes its own entries. */
  logged?: Record<string, unknown> | null;
}

/** Executes an item. The report carries device errors; an exception is a bug and fails this item only. */
export type Operation<K extends DeviceTaskKind = DeviceTaskKind> = (item: WorkItem<K>) => Promise<WorkReport>;
/** One operation for every kind of order to devices. */
export type Operations = { readonly [K in DeviceTaskKind]: Operation<K> };

/** This head-end among others on the same database. */
export interface Ownership extends Turns {
  /** Name of the leases of this node. */
  owner: string;
  /** Ids of the other nodes that are believed to be alive. */
  readonly others: readonly string[];
  /** Whether work for a device is this node's, given the id of the node that holds its connection. */
  mayServe(dcuId: string, holder: string | null): boolean;
  /** Calls the listener after another node has died. Returns the function that unsubscribes it. */
  onDeath(listener: () => void): () => void;
}

/** How the queue reaches DCUs; the field engine is behind it. */
export interface Reach {
  /** Prefetches device data for a whole claim, instead of per item. */
  prepare(items: readonly ClaimedItem[]): Promise<void>;
  /** Whether the DCU is connected. Dials it first when its connections are outbound. */
  connect(dcuId: string): Promise<boolean>;
  isOnline(dcuId: string): boolean;
  /** Proof that this node holds the connection; undefined: it does not. */
  epochOf(dcuId: string): Epoch | undefined;
  /** Number of meters the DCU serves in parallel. */
  parallelMeters(dcuId: string): number;
  /** The database has lost its connections, perhaps in a crash, and with it what was acknowledged before it was on disk. */
  onDatabaseBack(): void;
  /** Calls the listener whenever a DCU becomes reachable. Returns the function that unsubscribes it. */
  onReachable(listener: (dcuId: string) => void): () => void;
}
