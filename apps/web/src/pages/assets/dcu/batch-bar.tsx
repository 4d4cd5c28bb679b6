import { ANY_NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { clock } from '@hes/contract/action/clock.ts';
import { dcu as dcus, MAX_DCUS_AT_ONCE, type DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { App, Button } from 'antd';
import { Clock, Info, Trash2, UtilityPole } from 'lucide-react';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { SelectionBar, type Selection } from '#shared/table/selection.tsx';
import type { Take } from '#shared/table/use-take.ts';
import { someOf } from '#shared/ui/some-of.ts';
import type { DcuRequest } from './dcu-actions.tsx';
import { texts } from './texts.ts';

interface BatchBarProps {
  selection: Selection<DcuRow>;
  total: number;
  take: Take<DcuRow>;
  onDialog: (dialog: DcuRequest) => void;
}

const isOnline = (row: DcuRow): boolean => row.onlineStatus === 'online';

/** Actions for several DCUs. When one of them does not support the action, its name is shown and nothing is sent. */
export function BatchBar({ selection, total, take, onDialog }: BatchBarProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const button = (
    route: Route,
    kind: 'info' | 'clock' | 'move' | 'delete',
    label: string,
    Icon: typeof Clock,
    accepts: (row: DcuRow) => boolean = () => true,
  ) => {
    const order = (chosen: DcuRow[]) => {
      const wrong = chosen.filter((row) => !accepts(row));
      if (wrong.length > 0)
        void message.warning(`${t('selectValid')} ${someOf(wrong.map((row) => row.sn)).join(', ')}: ${say(ANY_NOT_ONLINE_TEXT)}`, 6);
      else onDialog({ kind, dcus: chosen });
    };
    return may(route) ? (
      <Button
        size="small"
        danger={kind === 'delete'}
        icon={<Icon size={13} aria-hidden="true" />}
        onClick={() => take(order, MAX_DCUS_AT_ONCE)}
      >
        {label}
      </Button>
    ) : null;
  };
  return (
    <SelectionBar selection={selection} total={total}>
      {button(dcus.readInfo, 'info', t('readInfo'), Info, isOnline)}
      {button(clock.order, 'clock', t('syncClock'), Clock, isOnline)}
      {button(dcus.move, 'move', t('moveTo'), UtilityPole)}
      {button(dcus.remove, 'delete', t('remove'), Trash2)}
    </SelectionBar>
  );
}
