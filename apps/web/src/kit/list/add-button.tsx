import type { Route } from '@hes/contract/core/route.ts';
import { Button } from 'antd';
import { Plus } from 'lucide-react';
import type { ListState } from './use-list.ts';

/** Opens the form of a new record; renders nothing for users without the right to add. */
export function AddButton<R extends Route>({ list }: { list: ListState<R> }) {
  const { declaration, tools, open } = list;
  const { add } = declaration;
  if (add === undefined || !tools.may(add.right)) return null;
  const { icon: Icon = Plus } = add;
  return (
    <Button type="primary" icon={<Icon size={15} aria-hidden="true" />} onClick={() => open({ kind: 'add' })}>
      {tools.say(add.label)}
    </Button>
  );
}
