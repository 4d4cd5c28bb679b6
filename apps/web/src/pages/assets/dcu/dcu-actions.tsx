import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { clock } from '@hes/contract/action/clock.ts';
import { dcuConfig } from '@hes/contract/action/dcu-config.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { dcu as dcus, type DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { Button, Tooltip, type MenuProps } from 'antd';
import {
  Activity,
  Clock,
  EllipsisVertical,
  FileStack,
  HardDriveUpload,
  Info,
  KeyRound,
  Network,
  Pencil,
  Power,
  ScrollText,
  SlidersHorizontal,
  Trash2,
  UtilityPole,
} from 'lucide-react';
import { useNavigate } from 'react-router';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { RowActions } from '#shared/table/row-actions.tsx';
import { ActionMenu } from '#shared/ui/action-menu.tsx';
import { texts } from './texts.ts';

/** The dialog above the list. */
export type DcuDialog =
  | { kind: 'add'; caller?: { sn: string; systemTitle: string | null } }
  | { kind: 'edit' | 'keys' | 'restart'; dcu: DcuRow }
  | { kind: 'delete' | 'move' | 'clock'; dcus: DcuRow[] }
  | { kind: 'run'; taskId: string; title: string };

/** What an action asks for: a dialog, or an order that needs no form. */
export type DcuRequest = DcuDialog | { kind: 'test'; dcu: DcuRow } | { kind: 'info'; dcus: DcuRow[] };

interface Action {
  key: string;
  label: string;
  icon: typeof Pencil;
  danger?: boolean;
  /** The reason why the action is disabled. */
  why?: string | undefined;
  run: () => void;
}

/** The actions that the user may perform on a DCU. Orders need it online: otherwise the button shows the reason. */
function useActions(row: DcuRow, onDialog: (request: DcuRequest) => void): { live: Action[]; desk: Action[] } {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const navigate = useNavigate();
  const why = row.onlineStatus === 'online' ? undefined : say(NOT_ONLINE_TEXT[row.onlineStatus]);
  const only = (route: Route, action: Action): Action[] => (may(route) ? [action] : []);
  const page = (route: Route, key: 'archives' | 'topology' | 'configuration' | 'logs' | 'upgrade', icon: typeof Pencil, to: string) =>
    only(route, { key, label: t(key), icon, run: () => void navigate(to) });
  return {
    live: [
      ...only(dcus.test, { key: 'test', label: t('testLink'), icon: Activity, why, run: () => onDialog({ kind: 'test', dcu: row }) }),
      ...only(dcus.readInfo, { key: 'info', label: t('readInfo'), icon: Info, why, run: () => onDialog({ kind: 'info', dcus: [row] }) }),
      ...only(clock.order, { key: 'clock', label: t('syncClock'), icon: Clock, why, run: () => onDialog({ kind: 'clock', dcus: [row] }) }),
      ...only(dcus.restart, {
        key: 'restart',
        label: t('restart'),
        icon: Power,
        danger: true,
        why,
        run: () => onDialog({ kind: 'restart', dcu: row }),
      }),
    ],
    desk: [
      ...page(archive.list, 'archives', FileStack, `/assets/archives-dispatch?dcu=${row.id}`),
      ...page(topology.get, 'topology', Network, `/meter-management/network/network-topology?dcu=${row.id}`),
      ...page(dcuConfig.list, 'configuration', SlidersHorizontal, `/action/dcu-configuration?dcu=${row.id}`),
      ...page(dcuLog.list, 'logs', ScrollText, `/system/debug/dcu-log-management?node=dcu:${row.id}`),
      ...page(upgradeJob.list, 'upgrade', HardDriveUpload, '/system/upgrade/firmware-upgrade?tab=new'),
      ...only(dcus.update, { key: 'edit', label: t('edit'), icon: Pencil, run: () => onDialog({ kind: 'edit', dcu: row }) }),
      ...only(dcus.setKeys, { key: 'keys', label: t('changeKeys'), icon: KeyRound, run: () => onDialog({ kind: 'keys', dcu: row }) }),
      ...only(dcus.move, { key: 'move', label: t('moveTo'), icon: UtilityPole, run: () => onDialog({ kind: 'move', dcus: [row] }) }),
      ...only(dcus.remove, {
        key: 'delete',
        label: t('remove'),
        icon: Trash2,
        danger: true,
        run: () => onDialog({ kind: 'delete', dcus: [row] }),
      }),
    ],
  };
}

const itemOf = ({ key, label, icon: Icon, danger, why, run }: Action): NonNullable<MenuProps['items']>[number] => ({
  key,
  label: why ? `${label} (${why})` : label,
  icon: <Icon size={14} aria-hidden="true" />,
  danger: danger ?? false,
  disabled: why !== undefined,
  onClick: run,
});

interface DcuActionsProps {
  row: DcuRow;
  onDialog: (request: DcuRequest) => void;
}

/** The actions as a menu at the end of a row. */
export function DcuActions({ row, onDialog }: DcuActionsProps) {
  const t = useMessages(texts);
  const { live, desk } = useActions(row, onDialog);
  const divider = live.length > 0 && desk.length > 0 ? [{ type: 'divider' as const }] : [];
  return <RowActions label={t('actions', { sn: row.sn })} items={[...live.map(itemOf), ...divider, ...desk.map(itemOf)]} />;
}

/** The actions shown as buttons in the details pane. */
const SHOWN: ReadonlySet<string> = new Set(['test', 'info']);

/** The actions in the details pane: orders as buttons, the others in the menu. */
export function DcuButtons({ row, onDialog }: DcuActionsProps) {
  const t = useMessages(texts);
  const { live, desk } = useActions(row, onDialog);
  const shown = live.filter(({ key }) => SHOWN.has(key));
  const hidden = [...live.filter(({ key }) => !SHOWN.has(key)), ...desk];
  return (
    <>
      {shown.map(({ key, label, icon: Icon, why, run }) => (
        <Tooltip key={key} title={why}>
          <Button icon={<Icon size={15} aria-hidden="true" />} disabled={why !== undefined} title={why ?? ''} onClick={run}>
            {label}
          </Button>
        </Tooltip>
      ))}
      <ActionMenu placement="bottomRight" menu={{ items: hidden.map(itemOf) }}>
        <Button aria-label={t('more')} aria-haspopup="menu" icon={<EllipsisVertical size={15} aria-hidden="true" />} />
      </ActionMenu>
    </>
  );
}
