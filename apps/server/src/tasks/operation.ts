import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';

/** A piece of work that was taken from the queue: one device. */
export interface WorkItem {
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
  /** Of the task. */
  params: Record<string, unknown>;
}

export type ItemResult = NonNullable<TaskItemRow['result']>;

/** What came of a piece of work. */
export interface WorkReport {
  outcome: Outcome<ItemResult>;
  traceId: string | undefined;
  /** Readings on their way into the database: the item is done when they are stored, the channel is free before. */
  stored?: Promise<unknown> | undefined;
  /** The work is in good order and not done: its next turn comes after so many milliseconds. */
  againInMs?: number | undefined;
}

/** Does a piece of work with a device. What devices do wrong is in the report; a throw is a bug and fails this item only. */
export type Operation = (item: WorkItem) => Promise<WorkReport>;

/** How the queue reaches DCUs; the field engine is behind it. */
export interface Reach {
  /** Told what is about to be done, so that what all of it needs is fetched in one go. */
  prepare(items: readonly WorkItem[]): Promise<void>;
  /** Whether there is a session with the DCU now; dials it first when it is one we dial. */
  connect(dcuId: string): Promise<boolean>;
  isOnline(dcuId: string): boolean;
  /** Meters the DCU serves at the same time. */
  parallelMeters(dcuId: string): number;
  /** Told whenever a DCU becomes reachable. Returns the way to stop listening. */
  onReachable(listener: (dcuId: string) => void): () => void;
}
