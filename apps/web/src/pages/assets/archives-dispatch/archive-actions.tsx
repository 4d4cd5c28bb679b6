import { archive, type ArchiveRow, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { Button } from 'antd';
import { Eraser, GitCompareArrows, Link, SendHorizontal, Wrench, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Action } from '#kit/list/action.ts';
import type { ListState } from '#kit/list/use-list.ts';
import type { archiveActions } from './actions.ts';
import { BindDialog } from './bind-dialog.tsx';
import { ClearArchives } from './clear-archives.tsx';
import { PlanDrawer } from './plan-drawer.tsx';
import { texts } from './texts.ts';
import { useOrders } from './use-orders.ts';
import styles from './archives.module.css';

interface ArchiveActionsProps {
  list: ListState<typeof archive.list>;
  actions: ReturnType<typeof archiveActions>;
  summary: ArchiveSummary;
  /** The reason why the DCU cannot receive orders now. */
  why: string | undefined;
}

/** All actions of an archive. A missing selection is reported when the button is pressed. */
export function ArchiveActions({ list, actions, summary, why }: ArchiveActionsProps) {
  const t = useMessages(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<'bind' | 'plan' | 'clear'>();
  const { compare, dispatch } = useOrders();
  const dcuId = summary.dcuId;
  const close = () => setDialog(undefined);

  const button = (
    route: Pick<Route, 'allow'>,
    label: string,
    Icon: LucideIcon,
    onClick: () => void,
    more: { live?: boolean; danger?: boolean; primary?: boolean; busy?: boolean } = {},
  ) =>
    may(route) ? (
      <Button
        key={label}
        type={more.primary ? 'primary' : 'default'}
        danger={more.danger ?? false}
        loading={more.busy ?? false}
        disabled={more.live === true && why !== undefined}
        title={more.live ? (why ?? '') : ''}
        icon={<Icon size={15} aria-hidden="true" />}
        onClick={onClick}
      >
        {label}
      </Button>
    ) : null;
  const onSelected = (action: Action<ArchiveRow>, label: string, live: boolean) =>
    button(action.right, label, action.icon, () => list.take((rows) => list.actOnSelected(action, rows), action.batch?.most), {
      live,
      danger: action.isDanger ?? false,
    });
  return (
    <div className={styles['actions']}>
      {button(archive.compare, t('compare'), GitCompareArrows, () => compare.mutate({ body: { dcuIds: [dcuId] } }), {
        live: true,
        primary: true,
        busy: compare.isPending,
      })}
      {button(archive.bind, t('bind'), Link, () => setDialog('bind'))}
      {onSelected(actions.unbind, t('unbind'), false)}
      {onSelected(actions.dispatch, t('dispatch'), true)}
      {button(archive.dispatch, t('dispatchAll'), SendHorizontal, () => dispatch.mutate({ body: { dcuId, all: true } }), { live: true })}
      {onSelected(actions.remove, t('remove'), true)}
      <span className={styles['space']} />
      {button(archive.plan, t('plan'), Wrench, () => setDialog('plan'), { live: summary.lacks !== null })}
      {button(archive.clear, t('clear'), Eraser, () => setDialog('clear'), { live: true, danger: true })}
      {dialog === 'bind' ? <BindDialog summary={summary} onDone={close} onClose={close} /> : null}
      {dialog === 'plan' ? <PlanDrawer summary={summary} why={why} onClose={close} /> : null}
      {dialog === 'clear' ? <ClearArchives summary={summary} onClose={close} /> : null}
    </div>
  );
}
