import { bill } from '@hes/contract/analysis/bill.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useComputation } from '#domain/computation/use-computation.ts';
import type { Period } from './period.ts';

/** Starts calculations and follows the running one. */
export function useCalculation(known: string | null | undefined) {
  const { message } = App.useApp();
  const { running, ended, follow, reload } = useComputation(known, '/analysis/');
  const order = useApiMutation(bill.calculate, {
    success: ({ taskId }) => follow(taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  return {
    running,
    hasFailed: ended?.state === 'failed',
    reload,
    isStarting: order.isPending,
    start: ({ kind, from, to }: Period) => order.mutate({ body: { kind, from, to } }),
  };
}
