import { App, Button } from 'antd';
import { RotateCw } from 'lucide-react';
import { useReachable } from '#core/session/reachable.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { reconnectNow } from '#core/live/live.ts';
import { clockTime } from '#core/time/format.ts';
import { tableTexts } from '#kit/table/table.messages.ts';

const texts = { ...tableTexts, refresh: common.refresh };

const SHOWN_S = 6;

/** Reloads a list. While the head-end does not answer it says so and tries to reconnect. */
export function RefreshButton({ busy, onRefresh }: { busy: boolean; onRefresh: () => void }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const refresh = () => {
    const { awaySince } = useReachable.getState();
    if (awaySince !== null) {
      void message.warning(t('cannotRefresh', { time: clockTime(awaySince) }), SHOWN_S);
      reconnectNow();
    }
    onRefresh();
  };
  return <Button icon={<RotateCw size={14} aria-hidden="true" />} aria-label={t('refresh')} loading={busy} onClick={refresh} />;
}
