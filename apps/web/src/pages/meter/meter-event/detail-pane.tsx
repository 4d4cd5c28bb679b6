import { deviceSn } from '@hes/contract/text/device-name.ts';
import { event, eventNote, MAX_NOTE_LENGTH, type EventRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT, EVENT_SOURCE_TEXT } from '@hes/contract/states/event.ts';
import { messageText } from '@hes/contract/states/field-event.ts';
import { App, Button, Input } from 'antd';
import { Bell } from 'lucide-react';
import { Link } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { InlineForm } from '#kit/form/form-body.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Properties } from '#kit/basics/text.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { DIRECTION, LEVEL } from '#domain/states/event-tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { durationMs, texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

const noteOf = ({ note }: Pick<EventRow, 'note'>) => ({ note: note ?? '' });

function Note({ row, onChanged }: { row: EventRow; onChanged: () => Promise<unknown> }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const { form, record, take } = useRecordForm(row, noteOf);
  const save = useApiMutation(event.note, {
    success: (saved) => {
      void message.success(t('noteSaved'));
      take(saved);
      void onChanged();
    },
    failure: form.refuse,
  });
  return (
    <InlineForm
      record={`event-note/${row.id}`}
      title={t('note')}
      form={form}
      labels={{ note: t('note') }}
      saving={save.isPending}
      className={styles['note']}
      onSave={() => {
        const body = form.check(eventNote, { version: record.version });
        if (body) save.mutate({ params: { id: row.id }, body });
      }}
    >
      <Input.TextArea
        rows={2}
        maxLength={MAX_NOTE_LENGTH}
        aria-label={t('note')}
        placeholder={t('noteHint')}
        value={form.values.note}
        onChange={({ target }) => form.set({ note: target.value })}
      />
      <Button size="small" htmlType="submit" loading={save.isPending} disabled={!form.isChanged}>
        {t('saveNote')}
      </Button>
    </InlineForm>
  );
}

/** Details of an event: time, duration, acknowledgement, raw bytes, and the frames that carried it. */
export function DetailPane({ id, rows, select, buttonsOf, reload }: PaneProps<EventRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const nameOf = useCodeName();
  const query = useApiQuery(event.get, { params: { id } });
  const data = query.data;
  return (
    <SidePane label={t('detail', { code: String(data?.code ?? ''), sn: data ? deviceSn(data) : '' })}>
      <PanelState query={query} lines={10}>
        {(row) => {
          const ms = durationMs(row);
          return (
            <>
              <PaneHead
                icon={<Bell size={20} aria-hidden="true" />}
                title={nameOf(row)}
                place={[row.meterSn, row.dcuSn, row.transformerName].filter(Boolean).join(' · ')}
                state={
                  <>
                    <StateOf tag sign={LEVEL[row.abnormalLevel ?? 'none']} />
                    <StateOf tag sign={DIRECTION[row.direction]} />
                    <span>{dateTime(row.occurAt)}</span>
                  </>
                }
                {...stepsOf(rows, id, select)}
              />
              <PaneActions>{buttonsOf(row)}</PaneActions>
              <PaneSection title={t('properties')}>
                <Properties
                  items={[
                    { label: t('code'), value: row.code },
                    { label: t('log'), value: say(EVENT_LOG_TEXT[row.log]) },
                    { label: t('recovered'), value: row.recoveredAt ? dateTime(row.recoveredAt) : '—' },
                    { label: t('duration'), value: ms === null ? '—' : elapsed(ms) },
                    { label: t('received'), value: dateTime(row.receivedAt) },
                    { label: t('source'), value: say(EVENT_SOURCE_TEXT[row.source]) },
                    {
                      label: t('acknowledged'),
                      value: row.ackAt ? t('ackBy', { name: row.ackByName ?? '—', at: dateTime(row.ackAt) }) : '—',
                    },
                    {
                      label: t('byCause'),
                      value: row.incidentId ? (
                        <Link to={`?incidentId=${row.incidentId}`}>{t('ofIncident', { id: row.incidentId })}</Link>
                      ) : (
                        '—'
                      ),
                    },
                  ]}
                />
              </PaneSection>
              {may(event.note) ? (
                <PaneSection title={t('note')}>
                  <Note key={row.id} row={row} onChanged={() => query.refetch().then(reload)} />
                </PaneSection>
              ) : null}
              <PaneSection title={t('message')}>
                <p className={`mono ${styles['message']}`}>{say(messageText(row)) || '—'}</p>
                <p className={`mono ${styles['raw']}`} title={t('raw')}>
                  {row.raw.toUpperCase().replaceAll(/(..)(?=.)/g, '$1 ')}
                </p>
              </PaneSection>
              <PaneSection title={t('trace')}>
                <Frames traceId={row.traceId} />
              </PaneSection>
            </>
          );
        }}
      </PanelState>
    </SidePane>
  );
}
