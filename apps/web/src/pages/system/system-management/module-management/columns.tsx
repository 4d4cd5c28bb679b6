import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { ERRORS } from '@hes/contract/core/errors.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { module as modules, type ModuleRow } from '@hes/contract/manager/module.ts';
import { Button } from 'antd';
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, FolderInput, Pencil, Plus, Trash2 } from 'lucide-react';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { Column } from '#kit/table/data-table.tsx';
import { OwnClicks, RowActions } from '#kit/table/row-actions.tsx';
import { ModuleIcon } from '#domain/module-icon/module-icon.tsx';
import { texts, type T } from './texts.ts';
import type { TreeRow } from './tree-rows.ts';
import styles from './module.module.css';

const INDENT = 22;

/** The dialog above the tree. */
export type ModuleDialog = { kind: 'add'; parentId: string | null } | { kind: 'edit' | 'move' | 'delete'; module: ModuleRow };

export interface TreeEvents {
  onToggle: (id: string) => void;
  onStep: (module: ModuleRow, by: -1 | 1) => void;
  onDialog: (dialog: ModuleDialog) => void;
}

function NameCell({ row, onToggle }: { row: TreeRow; onToggle: TreeEvents['onToggle'] }) {
  const t = useMessages(texts);
  const { module, depth, hasChildren, isOpen } = row;
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <span className={styles['name']} style={{ paddingLeft: depth * INDENT }}>
      {hasChildren ? (
        <OwnClicks>
          <button
            type="button"
            className={styles['toggle']}
            aria-expanded={isOpen}
            aria-label={t(isOpen ? 'collapse' : 'expand', { name: module.nameEn })}
            onClick={() => onToggle(module.id)}
          >
            <Arrow size={15} aria-hidden="true" />
          </button>
        </OwnClicks>
      ) : (
        <span className={styles['gap']} />
      )}
      <ModuleIcon name={module.icon} />
      <span className={module.type === 'group' ? styles['group'] : undefined}>{module.nameEn}</span>
    </span>
  );
}

function MoveButtons({ row, onStep }: { row: TreeRow; onStep: TreeEvents['onStep'] }) {
  const t = useMessages(texts);
  const { module, previous, next } = row;
  return (
    <OwnClicks>
      <span className={styles['moves']}>
        <Button
          type="text"
          size="small"
          disabled={!previous}
          aria-label={`${t('moveUp')}: ${module.nameEn}`}
          title={t('moveUp')}
          icon={<ArrowUp size={14} aria-hidden="true" />}
          onClick={() => onStep(module, -1)}
        />
        <Button
          type="text"
          size="small"
          disabled={!next}
          aria-label={`${t('moveDown')}: ${module.nameEn}`}
          title={t('moveDown')}
          icon={<ArrowDown size={14} aria-hidden="true" />}
          onClick={() => onStep(module, 1)}
        />
      </span>
    </OwnClicks>
  );
}

function ModuleActions({ module, onDialog }: { module: ModuleRow; onDialog: TreeEvents['onDialog'] }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const icon = (Icon: typeof Plus) => <Icon size={14} aria-hidden="true" />;
  return (
    <RowActions
      label={t('actions', { name: module.nameEn })}
      items={[
        ...(may(modules.create)
          ? [
              {
                key: 'beside',
                label: t('addBeside'),
                icon: icon(Plus),
                onClick: () => onDialog({ kind: 'add', parentId: module.parentId }),
              },
            ]
          : []),
        ...(may(modules.create) && module.type === 'group'
          ? [{ key: 'add', label: t('addBelow'), icon: icon(Plus), onClick: () => onDialog({ kind: 'add', parentId: module.id }) }]
          : []),
        ...(may(modules.update)
          ? [
              { key: 'edit', label: t('edit'), icon: icon(Pencil), onClick: () => onDialog({ kind: 'edit', module }) },
              { key: 'move', label: t('moveTo'), icon: icon(FolderInput), onClick: () => onDialog({ kind: 'move', module }) },
            ]
          : []),
        ...(may(modules.remove)
          ? [
              {
                key: 'delete',
                label: t('remove'),
                icon: icon(Trash2),
                danger: true,
                disabled: module.isFixed,
                title: module.isFixed ? say(ERRORS.ADMIN_KEEPS_SYSTEM) : '',
                onClick: () => onDialog({ kind: 'delete', module }),
              },
            ]
          : []),
      ]}
    />
  );
}

export function columnsOf(
  t: T,
  say: (text: Text) => string,
  mayMove: boolean,
  { onToggle, onStep, onDialog }: TreeEvents,
): Column<TreeRow>[] {
  const actionsOf = ({ module }: TreeRow) => module.actions.map((action) => say(ACTION_TEXT[action])).join(', ');
  return [
    { key: 'nameEn', title: t('nameEn'), width: 290, cell: (row) => <NameCell row={row} onToggle={onToggle} /> },
    { key: 'nameZh', title: t('nameZh'), width: 190, cell: (row) => row.module.nameZh },
    { key: 'path', title: t('path'), width: 330, mono: true, cell: (row) => row.module.path },
    {
      key: 'icon',
      title: t('icon'),
      width: 150,
      low: true,
      cell: ({ module }) => (
        <span className={styles['icon']}>
          <ModuleIcon name={module.icon} />
          <span className={styles['dim']}>{module.icon}</span>
        </span>
      ),
    },
    { key: 'type', title: t('type'), width: 84, cell: (row) => t(row.module.type) },
    {
      key: 'actionCodes',
      title: t('actionCodes'),
      width: 260,
      low: true,
      cell: (row) => <span title={actionsOf(row)}>{actionsOf(row) || '—'}</span>,
    },
    {
      key: 'visible',
      title: t('visible'),
      width: 84,
      cell: ({ module }) => <span className={module.visible ? undefined : styles['dim']}>{t(module.visible ? 'shown' : 'hidden')}</span>,
    },
    {
      key: 'isFixed',
      title: t('protection'),
      width: 160,
      low: true,
      cell: ({ module }) => (module.isFixed ? <span className={styles['dim']}>{t('fixed')}</span> : null),
    },
    {
      key: 'sort',
      title: t('sort'),
      width: 96,
      value: (row) => row.module.sort,
      cell: (row) => (mayMove ? <MoveButtons row={row} onStep={onStep} /> : row.module.sort),
    },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 52,
      cell: (row) => <ModuleActions module={row.module} onDialog={onDialog} />,
    },
  ];
}
