import type { Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { App } from 'antd';
import { listTexts } from './messages.ts';
import { OrderDialog } from './order-dialog.tsx';
import type { ListState } from './use-list.ts';

/** The open dialog of a list. */
export function ListDialog<R extends Route>({ list }: { list: ListState<R> }) {
  const { message } = App.useApp();
  const { dialog, declaration, tools, open, changed, send, start } = list;
  const close = () => open(undefined);
  const saved = (done: Text = listTexts.saved) => {
    void message.success(tools.say(done));
    changed();
  };
  if (dialog === undefined) return null;
  if (dialog.kind === 'add') {
    const { add } = declaration;
    return add ? <add.Form row={undefined} onDone={() => saved(add.done)} onClose={close} /> : null;
  }
  const [first, ...others] = dialog.rows;
  if (first === undefined) return null;
  const rows = [first, ...others] as const;
  if (dialog.kind === 'run') {
    const { Run } = dialog.task;
    const ended = () => {
      close();
      list.reload();
    };
    return <Run taskId={dialog.taskId} rows={rows} onClose={ended} />;
  }
  const { action } = dialog;
  const { act } = action;
  switch (act.kind) {
    case 'form':
      return <act.Form row={first} onDone={() => saved(act.done)} onClose={close} />;
    case 'dialog':
      return <act.Dialog row={first} rows={rows} onDone={changed} reload={list.reload} onClose={close} />;
    case 'order':
    case 'task':
      return act.confirm === undefined ? null : (
        <OrderDialog
          action={action}
          confirm={act.confirm}
          rows={rows}
          tools={tools}
          rowName={declaration.rowName}
          submit={(reason) => (act.kind === 'order' ? send(act, rows, reason) : start(act, rows, reason))}
          onClose={close}
        />
      );
    case 'link':
    case 'show':
    case 'run':
      return null;
  }
}
