import { level } from '@hes/contract/asset/level.ts';
import { FEED_KIND_TEXT, sender, type DeadLetter, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { SENDER_KIND_TEXT } from '@hes/contract/delivery/kinds/every-kind.ts';
import { Send } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Properties } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { failureOf } from './failure.ts';
import { texts } from './messages.ts';
import { SENDER } from './signs.ts';

const REFETCH_MS = 3000;

/** Progress of a sender, its last failure, and the messages that cannot be delivered. */
export function SenderPane({ id, rows, select, buttonsOf }: PaneProps<SenderRow>) {
  const t = useMessages(texts);
  const query = useApiQuery(sender.get, { params: { id }, refetchMs: REFETCH_MS });
  return (
    <SidePane label={t('details', { name: query.data?.name ?? '' })}>
      <PanelState query={query} lines={10}>
        {(row) => (
          <>
            <PaneHead
              icon={<Send size={20} aria-hidden="true" />}
              title={row.name}
              place={row.target}
              state={<StateOf tag sign={SENDER[row.state]} />}
              {...stepsOf(rows, id, select)}
            />
            <PaneActions>{buttonsOf(row)}</PaneActions>
            <PaneSection title={t('properties')}>
              <Progress row={row} />
            </PaneSection>
            <PaneSection title={t('deadLetters')} note={String(row.deadLetters)}>
              <DeadLetters id={id} />
            </PaneSection>
          </>
        )}
      </PanelState>
    </SidePane>
  );
}

function Progress({ row }: { row: SenderRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const levels = useApiQuery(level.list);
  const timeOf = (at: string | null) => (at === null ? '—' : dateTime(at));
  const names = (levels.data?.items ?? []).filter(({ id }) => row.levelIds.includes(id)).map(({ name }) => name);
  return (
    <Properties
      items={[
        { label: t('kind'), value: say(SENDER_KIND_TEXT[row.kind]) },
        { label: t('contents'), value: row.contents.map((kind) => say(FEED_KIND_TEXT[kind])).join(', ') },
        { label: t('levels'), value: row.levelIds.length === 0 ? t('wholeNetwork') : names.join(', ') },
        { label: t('waiting'), value: <Num value={row.waiting} /> },
        { label: t('sent'), value: <Num value={row.sent} /> },
        { label: t('lastSuccess'), value: timeOf(row.lastSuccessAt) },
        { label: t('lastFailure'), value: timeOf(row.lastFailureAt) },
        { label: t('failure'), value: row.failure === null ? '—' : say(failureOf(row.failure, row.failureDetail)) },
        { label: t('nextTry'), value: timeOf(row.nextTryAt) },
        { label: t('created'), value: dateTime(row.createdAt) },
      ]}
    />
  );
}

function DeadLetters({ id }: { id: string }) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(sender.deadLetters, { params: { id } });
  const columns: Column<DeadLetter>[] = [
    { key: 'at', title: t('at'), width: 150, time: (row) => row.at },
    { key: 'kind', title: t('contents'), width: 110, cell: (row) => say(FEED_KIND_TEXT[row.kind]) },
    { key: 'reason', title: t('reason'), width: 110, mono: true, value: (row) => row.reason },
    { key: 'message', title: t('message'), width: 90, mono: true, value: (row) => row.messageId },
    {
      key: 'content',
      title: t('content'),
      width: 240,
      mono: true,
      cell: (row) => <span title={JSON.stringify(row.content, undefined, 2)}>{JSON.stringify(row.content)}</span>,
    },
  ];
  return (
    <PanelState query={query} isEmpty={({ items }) => items.length === 0} empty={<Empty small text={t('noDeadLetters')} />}>
      {({ items }) => <DataTable<DeadLetter> label={t('deadLetters')} columns={columns} rows={items} rowKey={(row) => row.id} />}
    </PanelState>
  );
}
