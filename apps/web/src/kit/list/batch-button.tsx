import type { Route } from '@hes/contract/core/route.ts';
import { Button } from 'antd';
import type { RowOf } from './list-declaration.ts';
import type { BatchAction, ListState } from './use-list.ts';

interface BatchButtonProps<R extends Route> {
  list: ListState<R>;
  action: BatchAction<RowOf<R>>;
  isSmall?: boolean;
}

/** Starts an action on the selected rows; renders nothing for an action whose label depends on the row. */
export function BatchButton<R extends Route>({ list, action, isSmall = false }: BatchButtonProps<R>) {
  const { label, icon: Icon, isDanger = false, batch } = action;
  const text = batch.label ?? (typeof label === 'function' ? undefined : label);
  if (text === undefined) return null;
  return (
    <Button
      size={isSmall ? 'small' : 'middle'}
      danger={isDanger}
      icon={<Icon size={isSmall ? 13 : 15} aria-hidden="true" />}
      onClick={() => list.take((rows) => list.actOnSelected(action, rows), batch.most)}
    >
      {list.tools.say(text)}
    </Button>
  );
}
