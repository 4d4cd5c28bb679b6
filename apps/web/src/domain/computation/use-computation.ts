import { task, type TaskRow } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useTopic } from '#core/live/live.ts';

const POLL_MS = 1000;

export interface Computation {
  /** The computation, while it runs. */
  running: TaskRow | undefined;
  /** The result of the last computation that was started here. */
  ended: TaskRow | undefined;
  follow: (taskId: string) => void;
  reload: () => void;
}

/** Follows a computation, `known` or started here, and refetches all queries under `path` when one that was started here ends. */
export function useComputation(known: string | null | undefined, path: string): Computation {
  const client = useQueryClient();
  const [started, setStarted] = useState<string>();
  const id = started ?? known ?? undefined;
  useTopic(id === undefined ? undefined : `task:${id}`);
  const [over, setOver] = useState<TaskRow>();
  const isFollowed = id !== undefined && id !== over?.id;
  const query = useApiQuery(task.get, { params: { id: id ?? '0' }, enabled: isFollowed, refetchMs: isFollowed ? POLL_MS : false });
  const row = id !== undefined && query.data?.id === id ? query.data : undefined;
  const hasEnded = row !== undefined && row.state !== 'running';
  if (hasEnded && over?.id !== id) setOver(row);
  const reload = useCallback(
    () => void client.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith(path) }),
    [client, path],
  );
  useEffect(() => {
    if (hasEnded && id === started) reload();
  }, [hasEnded, id, started, reload]);
  // A response that was requested before the end may arrive after the live message about it.
  const isOver = hasEnded || (id !== undefined && id === over?.id);
  return { running: isOver ? undefined : row, ended: id === started ? over : undefined, follow: setStarted, reload };
}
