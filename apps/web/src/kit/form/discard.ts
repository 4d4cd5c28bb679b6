import { App } from 'antd';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { formTexts } from './form.messages.ts';

const texts = { ...common, ...formTexts };

/** Asks for confirmation before unsaved input is discarded. */
export function useDiscard(): (leave: () => void) => void {
  const t = useMessages(texts);
  const { modal } = App.useApp();
  return (leave) =>
    void modal.confirm({
      title: t('discard'),
      content: t('discardHint'),
      okText: t('discardYes'),
      cancelText: t('cancel'),
      autoFocusButton: 'cancel',
      onOk: leave,
    });
}
