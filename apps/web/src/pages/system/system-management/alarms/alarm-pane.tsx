import type { AlarmMessage, AlarmRow, RecipientOutcome } from '@hes/contract/alarm/alarm.ts';
import { fill } from '@hes/contract/core/text.ts';
import { to } from '@hes/contract/page/links.ts';
import { ALARM_END_TEXT, ALARM_FAILURE_TEXT, ALARM_RULE_KIND_TEXT } from '@hes/contract/states/alarm.ts';
import { BellRing } from 'lucide-react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { Num, Properties } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { codeName } from './code-name.ts';
import { texts } from './messages.ts';
import { ALARM, DELIVERY, MESSAGE, RECIPIENT } from './signs.ts';

/** One alarm with its messages and what the servers answered. */
export function AlarmPane({ id, rows, select, buttonsOf }: PaneProps<AlarmRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const row = rows.find((each) => each.id === id);
  if (row === undefined) return null;
  const name = say(row.kind === 'digest' ? ALARM_RULE_KIND_TEXT.digest : codeName(row));
  return (
    <SidePane label={name}>
      <PaneHead
        icon={<BellRing size={20} aria-hidden="true" />}
        title={name}
        place={row.ruleName}
        state={<StateOf tag sign={ALARM[row.state]} />}
        {...stepsOf(rows, id, select)}
      />
      <PaneActions>
        {buttonsOf(row)}
        {row.log === null ? null : (
          <LinkButton to={to.events({ codes: `${row.log}:${row.code}`, from: row.openedAt.slice(0, 10) })}>{t('openEvents')}</LinkButton>
        )}
      </PaneActions>
      <PaneSection title={t('properties')}>
        <Facts row={row} />
      </PaneSection>
      <PaneSection title={t('messages')} note={String(row.messages.length)}>
        <Messages messages={row.messages} />
      </PaneSection>
    </SidePane>
  );
}

function Facts({ row }: { row: AlarmRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const timeOf = (at: string | null) => (at === null ? '—' : dateTime(at));
  return (
    <Properties
      items={[
        { label: t('opened'), value: dateTime(row.openedAt) },
        { label: t('lastEvent'), value: dateTime(row.lastAt) },
        { label: t('meters'), value: <Num value={row.meters} /> },
        { label: t('dcus'), value: <Num value={row.dcus} /> },
        { label: t('events'), value: <Num value={row.events} /> },
        { label: t('delivery'), value: <StateOf sign={DELIVERY[row.delivery]} /> },
        { label: t('nextStep'), value: timeOf(row.nextStepAt) },
        ...(row.endReason === null ? [] : [{ label: t('closedBecause'), value: say(ALARM_END_TEXT[row.endReason]) }]),
        { label: t('acknowledgedAt'), value: timeOf(row.acknowledgedAt) },
        { label: t('acknowledgedByTitle'), value: row.acknowledgedByName ?? '—' },
      ]}
    />
  );
}

/** What the server answered, or why there is no answer. */
function useAnswers() {
  const say = useSay();
  return ({ failure, answer }: Pick<AlarmMessage, 'failure' | 'answer'>): string =>
    failure === null ? (answer ?? '') : say(fill(ALARM_FAILURE_TEXT[failure], { detail: answer ?? '' }));
}

/** Recipients of a message of which not all are in the same state. */
function Outcomes({ message: { step, outcomes } }: { message: AlarmMessage }) {
  const t = useMessages(texts);
  const answerOf = useAnswers();
  const columns: Column<RecipientOutcome>[] = [
    { key: 'name', title: t('recipient'), width: 140, value: (row) => row.name },
    { key: 'state', title: t('state'), width: 150, cell: (row) => <StateOf sign={RECIPIENT[row.state]} /> },
    { key: 'answer', title: t('answer'), width: 240, cell: (row) => <span title={answerOf(row)}>{answerOf(row) || '—'}</span> },
  ];
  return <DataTable<RecipientOutcome> label={t('outcomes', { step })} columns={columns} rows={outcomes} rowKey={(row) => row.name} />;
}

const isMixed = ({ outcomes }: AlarmMessage): boolean => new Set(outcomes.map(({ state }) => state)).size > 1;

function Messages({ messages }: { messages: AlarmMessage[] }) {
  const t = useMessages(texts);
  const answerOf = useAnswers();
  const columns: Column<AlarmMessage>[] = [
    { key: 'step', title: t('step'), width: 60, value: (row) => row.step },
    { key: 'state', title: t('state'), width: 110, cell: (row) => <StateOf sign={MESSAGE[row.state]} /> },
    { key: 'channel', title: t('channel'), width: 120, value: (row) => row.channelName },
    { key: 'recipients', title: t('recipients'), width: 140, value: (row) => row.recipients },
    { key: 'sentAt', title: t('sentAt'), width: 150, time: (row) => row.sentAt },
    { key: 'attempts', title: t('attempts'), width: 80, align: 'right', value: (row) => row.attempts },
    { key: 'answer', title: t('answer'), width: 240, cell: (row) => <span title={answerOf(row)}>{answerOf(row) || '—'}</span> },
  ];
  if (messages.length === 0) return <Empty small text={t('noMessages')} />;
  return (
    <>
      <DataTable<AlarmMessage> label={t('messages')} columns={columns} rows={messages} rowKey={(row) => row.id} />
      {messages.filter(isMixed).map((message) => (
        <Outcomes key={message.id} message={message} />
      ))}
    </>
  );
}
