import { meter, type AssetRow } from '@hes/contract/asset/meter.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { Button, type MenuProps } from 'antd';
import { ArrowLeftRight, Cable, EllipsisVertical, KeyRound, Pencil, Trash2, Warehouse } from 'lucide-react';
import { useMay } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { RowActions } from '#shared/table/row-actions.tsx';
import { ActionMenu } from '#shared/ui/action-menu.tsx';
import { texts } from './texts.ts';

/** The dialog above the inventory. */
export type AssetDialog =
  | { kind: 'add' }
  | { kind: 'edit' | 'keys' | 'replace'; meter: AssetRow }
  | { kind: 'delete' | 'state' | 'type' | 'bind'; meters: AssetRow[] };

interface Action {
  key: string;
  label: string;
  icon: typeof Pencil;
  danger?: boolean;
  run: () => void;
}

function useActions(row: AssetRow, onDialog: (dialog: AssetDialog) => void): Action[] {
  const t = useMessages(texts);
  const may = useMay();
  const only = (route: Route, action: Action): Action[] => (may(route) ? [action] : []);
  const isOut = row.inventoryState !== 'in_warehouse';
  return [
    ...only(meter.update, { key: 'edit', label: t('edit'), icon: Pencil, run: () => onDialog({ kind: 'edit', meter: row }) }),
    ...only(meter.setKeys, { key: 'keys', label: t('changeKeys'), icon: KeyRound, run: () => onDialog({ kind: 'keys', meter: row }) }),
    ...(row.dcuId === null
      ? only(archive.bind, { key: 'bind', label: t('bindTo'), icon: Cable, run: () => onDialog({ kind: 'bind', meters: [row] }) })
      : []),
    ...(isOut
      ? only(meter.replace, {
          key: 'replace',
          label: t('replace'),
          icon: ArrowLeftRight,
          run: () => onDialog({ kind: 'replace', meter: row }),
        })
      : []),
    ...only(meter.setState, {
      key: 'state',
      label: t('changeState'),
      icon: Warehouse,
      run: () => onDialog({ kind: 'state', meters: [row] }),
    }),
    ...only(meter.remove, {
      key: 'delete',
      label: t('remove'),
      icon: Trash2,
      danger: true,
      run: () => onDialog({ kind: 'delete', meters: [row] }),
    }),
  ];
}

const itemOf = ({ key, label, icon: Icon, danger, run }: Action): NonNullable<MenuProps['items']>[number] => ({
  key,
  label,
  icon: <Icon size={14} aria-hidden="true" />,
  danger: danger ?? false,
  onClick: run,
});

interface AssetActionsProps {
  row: AssetRow;
  onDialog: (dialog: AssetDialog) => void;
}

export function AssetActions({ row, onDialog }: AssetActionsProps) {
  const t = useMessages(texts);
  return <RowActions label={t('actions', { sn: row.sn })} items={useActions(row, onDialog).map(itemOf)} />;
}

/** The actions in the details pane: the first as a button, the others in the menu. */
export function AssetButtons({ row, onDialog }: AssetActionsProps) {
  const t = useMessages(texts);
  const actions = useActions(row, onDialog);
  const [first, ...rest] = actions;
  if (first === undefined) return null;
  const Icon = first.icon;
  return (
    <>
      <Button icon={<Icon size={15} aria-hidden="true" />} onClick={first.run}>
        {first.label}
      </Button>
      <ActionMenu placement="bottomRight" menu={{ items: rest.map(itemOf) }}>
        <Button aria-label={t('more')} aria-haspopup="menu" icon={<EllipsisVertical size={15} aria-hidden="true" />} />
      </ActionMenu>
    </>
  );
}
