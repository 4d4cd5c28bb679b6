import type { transformer, TransformerRow } from '@hes/contract/asset/transformer.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { App, Button } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Action } from '#kit/list/action.ts';
import type { ListState } from '#kit/list/use-list.ts';
import { texts } from './messages.ts';

interface OnSelectedProps {
  list: ListState<typeof transformer.list>;
  action: Action<TransformerRow> & { label: Text };
}

/** Starts an action on the selected transformer. */
export function OnSelected({ list, action }: OnSelectedProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const selected = list.rows.find(({ id }) => id === list.url['sel']);
  const { icon: Icon, label, right } = action;
  if (!list.tools.may(right)) return null;
  return (
    <Button
      icon={<Icon size={15} aria-hidden="true" />}
      onClick={() => (selected ? list.act(action, [selected]) : void message.warning(t('selectTransformer')))}
    >
      {list.tools.say(label)}
    </Button>
  );
}
