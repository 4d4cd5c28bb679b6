import { clock } from '@hes/contract/action/clock.ts';
import { dcu as dcus, type DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { App, Button } from 'antd';
import { Clock, Info, Trash2, UtilityPole, X } from 'lucide-react';
import { useMay } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import type { DcuDialog } from './dcu-actions.tsx';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

interface BatchBarProps {
  chosen: DcuRow[];
  onDialog: (dialog: DcuDialog) => void;
  onClear: () => void;
}

const isOnline = (row: DcuRow): boolean => row.onlineStatus === 'online';

/** What can be done with several DCUs at once. What cannot be asked of one of them is said with its name, and nothing is done. */
export function BatchBar({ chosen, onDialog, onClear }: BatchBarProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const button = (
    route: Route,
    kind: 'info' | 'clock' | 'move' | 'delete',
    label: string,
    Icon: typeof Clock,
    accepts: (row: DcuRow) => boolean = () => true,
  ) => {
    const wrong = chosen.filter((row) => !accepts(row));
    const order = () =>
      wrong.length > 0
        ? void message.warning(`${t('selectValid')} ${wrong.map((row) => row.sn).join(', ')}: ${t('offlineWhy')}`, 6)
        : onDialog({ kind, dcus: chosen });
    return may(route) ? (
      <Button size="small" danger={kind === 'delete'} icon={<Icon size={13} aria-hidden="true" />} onClick={order}>
        {label}
      </Button>
    ) : null;
  };
  return (
    <span className={styles['batch']}>
      <b>{t('selected', { count: chosen.length })}</b>
      {button(dcus.readInfo, 'info', t('readInfo'), Info, isOnline)}
      {button(clock.order, 'clock', t('syncClock'), Clock, isOnline)}
      {button(dcus.move, 'move', t('moveTo'), UtilityPole)}
      {button(dcus.remove, 'delete', t('remove'), Trash2)}
      <Button type="text" size="small" aria-label={t('clearSelection')} icon={<X size={14} aria-hidden="true" />} onClick={onClear} />
    </span>
  );
}
