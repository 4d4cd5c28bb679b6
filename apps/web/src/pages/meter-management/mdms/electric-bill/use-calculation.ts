import { bill } from '@hes/contract/analysis/bill.ts';
import { task, type TaskRow } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App } from 'antd';
import { useEffect, useState } from 'react';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useTopic } from '#shared/live/live.ts';
import type { Period } from './period.ts';

const POLL_MS = 1000;

/** Starts calculations, follows the one that runs, and reads everything anew when it has ended. */
export function useCalculation(known: string | null | undefined): {
  running: TaskRow | undefined;
  isStarting: boolean;
  start: (period: Period) => void;
  reload: () => void;
} {
  const client = useQueryClient();
  const { message } = App.useApp();
  const [started, setStarted] = useState<string>();
  const id = started ?? known ?? undefined;
  useTopic(id === undefined ? undefined : `task:${id}`);
  const [ended, setEnded] = useState<string>();
  const query = useApiQuery(task.get, {
    params: { id: id ?? '0' },
    enabled: id !== undefined && id !== ended,
    refetchMs: id !== undefined && id !== ended ? POLL_MS : false,
  });
  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/analysis/') });
  const row = id !== undefined && query.data?.id === id ? query.data : undefined;
  const isOver = row !== undefined && row.state !== 'running';
  if (isOver && ended !== id) setEnded(id);
  useEffect(() => {
    if (isOver && id === started)
      void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/analysis/') });
  }, [isOver, id, started, client]);
  const order = useApiMutation(bill.calculate, {
    success: ({ taskId }) => setStarted(taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  return {
    running: row && !isOver ? row : undefined,
    isStarting: order.isPending,
    start: ({ kind, from, to }) => order.mutate({ body: { kind, from, to } }),
    reload,
  };
}
