import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import type { FleetContext } from './context.ts';
import { createEntryList, type EntryList } from './entry-list.ts';

export type TaskEntry = ValueOf<typeof DCU_ENTRIES.tasks>;

const CAPACITY = 16;
const DAY_MS = 86_400_000;
/** Older collections have left the cache. */
const KEPT_MS = 60 * DAY_MS;

/** A moment at which the DCU began to read an object of all of its meters. */
export interface TaskReading {
  at: number;
  /** Rows back from the newest. */
  depth: number;
}

/** Collections of a DCU by tasks, in addition to its daily collection. */
export interface DcuTasks extends EntryList<TaskEntry> {
  /** Collections of an object until now, including those of removed tasks. */
  readingsOf(instance: Obis): TaskReading[];
}

/** Moments at which a task runs: immediately if its start has passed when it is written, then at its period. */
function momentsOf({ start, periodSeconds, enabled }: TaskEntry, writtenAt: number, until: number): number[] {
  const first = toEpochMs(start);
  if (!enabled || first === null) return [];
  const periodMs = periodSeconds * 1000;
  const moments = first <= writtenAt ? [writtenAt] : [];
  if (periodMs === 0) return first > writtenAt && first <= until ? [first] : moments;
  const passed = Math.max(0, Math.floor((Math.max(writtenAt, until - KEPT_MS) - first) / periodMs) + 1);
  for (let at = first + passed * periodMs; at <= until; at += periodMs) if (at > writtenAt) moments.push(at);
  return moments;
}

export function createDcuTasks({ now }: Pick<FleetContext, 'now'>): DcuTasks {
  const writtenAt = new Map<TaskEntry, number>();
  const past: (TaskReading & { instances: readonly Obis[] })[] = [];
  const readingsOfEntry = (entry: TaskEntry) =>
    momentsOf(entry, writtenAt.get(entry) ?? now(), now()).map((at) => ({
      at,
      depth: entry.depth,
      instances: entry.objects.map(({ instance }) => instance),
    }));
  const list = createEntryList<TaskEntry>([], {
    capacity: CAPACITY,
    clash: (one, other) => one.taskId === other.taskId,
    changed(replaced) {
      for (const entry of replaced) {
        past.push(...readingsOfEntry(entry));
        writtenAt.delete(entry);
      }
      for (const entry of list.entries()) if (!writtenAt.has(entry)) writtenAt.set(entry, now());
    },
  });
  return {
    ...list,
    readingsOf: (instance) => [...past, ...list.entries().flatMap(readingsOfEntry)].filter(({ instances }) => instances.includes(instance)),
  };
}
