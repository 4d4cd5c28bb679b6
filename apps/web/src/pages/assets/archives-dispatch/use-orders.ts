import { archive } from '@hes/contract/asset/archive.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useReload } from '#core/api/use-reload.ts';

/** Orders to the DCU, whose head shows their run. Refusals are shown as messages. */
export function useOrders(onStarted: () => void = () => undefined) {
  const { message } = App.useApp();
  const reload = useReload(archive.list);
  const events = {
    success: () => {
      onStarted();
      reload();
    },
    failure: (error: Error) => void message.error(error.message, 0),
  };
  return {
    compare: useApiMutation(archive.compare, events),
    dispatch: useApiMutation(archive.dispatch, events),
    clear: useApiMutation(archive.clear, events),
    apply: useApiMutation(archive.apply, events),
  };
}
