import type { Route } from '@hes/contract/core/route.ts';
import { Button } from 'antd';
import type { ListState } from './use-list.ts';

/** Buttons of the batch actions that a page always shows. A missing selection is reported when a button is pressed. */
export function PageActions<R extends Route>({ list }: { list: ListState<R> }) {
  return list.batch.map((action) => {
    const { key, label, icon: Icon, isDanger = false, batch } = action;
    if (!batch.isOnPage || typeof label === 'function') return null;
    return (
      <Button
        key={key}
        danger={isDanger}
        icon={<Icon size={15} aria-hidden="true" />}
        onClick={() => list.take((rows) => list.actOnSelected(action, rows), batch.most)}
      >
        {list.tools.say(label)}
      </Button>
    );
  });
}
