import { archive } from '@hes/contract/asset/archive.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useReload } from '#core/api/use-reload.ts';

/** Orders to the DCU. Shows the run as soon as its task exists; shows refusals as messages. */
export function useOrders(onTask: (taskId: string) => void) {
  const { message } = App.useApp();
  const reload = useReload(archive.list);
  const events = {
    success: ({ taskId }: { taskId: string }) => {
      onTask(taskId);
      reload();
    },
    failure: (error: Error) => void message.error(error.message, 0),
  };
  return {
    compare: useApiMutation(archive.compare, events),
    dispatch: useApiMutation(archive.dispatch, events),
    remove: useApiMutation(archive.remove, events),
    clear: useApiMutation(archive.clear, events),
    apply: useApiMutation(archive.apply, events),
  };
}
