import { archive, MAX_ARCHIVE_ROWS, type ArchiveRow, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { App, Button } from 'antd';
import { Eraser, GitCompareArrows, Link, Send, SendHorizontal, Trash2, Unlink, Wrench } from 'lucide-react';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Take } from '#kit/table/use-take.ts';
import { someOf } from '#kit/basics/some-of.ts';
import { texts } from './texts.ts';
import { useOrders } from './use-orders.ts';
import styles from './archives.module.css';

/** The dialog above the comparison. */
export type ArchiveDialog = { kind: 'bind' | 'plan' | 'clear' } | { kind: 'unbind' | 'delete'; rows: ArchiveRow[] };

interface ArchiveActionsProps {
  summary: ArchiveSummary;
  take: Take<ArchiveRow>;
  /** The reason why the DCU cannot receive orders now. */
  why: string | undefined;
  onDialog: (dialog: ArchiveDialog) => void;
  onTask: (taskId: string) => void;
}

/** All actions of an archive. A missing selection is reported when the button is pressed. */
export function ArchiveActions({ summary, take, why, onDialog, onTask }: ArchiveActionsProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const { compare, dispatch } = useOrders(onTask);
  const dcuId = summary.dcuId;

  /** Names the selected rows to which the action does not apply. */
  const refuse = (text: string, rows: ArchiveRow[]) => void message.warning(`${text} ${someOf(rows.map((row) => row.sn)).join(', ')}`, 6);
  const withChosen = (isWrong: (row: ArchiveRow) => boolean, prompt: string, go: (rows: ArchiveRow[]) => void) =>
    take((rows) => {
      const heardOnly = rows.filter((row) => row.id === null);
      const wrong = rows.filter((row) => row.id !== null && isWrong(row));
      if (heardOnly.length > 0) refuse(t('selectValid'), heardOnly);
      else if (wrong.length > 0) refuse(prompt, wrong);
      else go(rows);
    }, MAX_ARCHIVE_ROWS);
  const isUnbound = (row: ArchiveRow) => row.bindState === 'not_bound';
  const isBound = (row: ArchiveRow) => row.bindState === 'bound';

  const button = (
    route: Route,
    label: string,
    Icon: typeof Link,
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

  return (
    <div className={styles['actions']}>
      {button(archive.compare, t('compare'), GitCompareArrows, () => compare.mutate({ body: { dcuIds: [dcuId] } }), {
        live: true,
        primary: true,
        busy: compare.isPending,
      })}
      {button(archive.bind, t('bind'), Link, () => onDialog({ kind: 'bind' }))}
      {button(archive.unbind, t('unbind'), Unlink, () =>
        withChosen(isUnbound, t('notBound'), (rows) => onDialog({ kind: 'unbind', rows })),
      )}
      {button(
        archive.dispatch,
        t('dispatch'),
        Send,
        () =>
          withChosen(isUnbound, t('notBound'), (rows) =>
            dispatch.mutate({ body: { dcuId, recordIds: rows.flatMap((row) => (row.id === null ? [] : [row.id])) } }),
          ),
        { live: true, busy: dispatch.isPending },
      )}
      {button(archive.dispatch, t('dispatchAll'), SendHorizontal, () => dispatch.mutate({ body: { dcuId, all: true } }), { live: true })}
      {button(
        archive.remove,
        t('remove'),
        Trash2,
        () => withChosen(isBound, t('alreadyBound'), (rows) => onDialog({ kind: 'delete', rows })),
        { live: true, danger: true },
      )}
      <span className={styles['space']} />
      {button(archive.plan, t('plan'), Wrench, () => onDialog({ kind: 'plan' }))}
      {button(archive.clear, t('clear'), Eraser, () => onDialog({ kind: 'clear' }), { live: true, danger: true })}
    </div>
  );
}
