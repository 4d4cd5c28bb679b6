import { adviceFor, ALARM_TEXT } from '@hes/contract/alarm/texts.ts';
import { event, type EventRow, type IncidentRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import { deviceSn } from '@hes/contract/text/device-name.ts';
import { Siren } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { Properties, Sn } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { durationMs, texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

const MEMBERS_SHOWN = 20;

/** A member: its device with a link to why it is not well, and when it recovered. */
function Member({ row }: { row: EventRow }) {
  const t = useMessages(texts);
  const ms = durationMs(row);
  const [kind, id] = row.meterId === null ? (['dcu', row.dcuId] as const) : (['meter', row.meterId] as const);
  return (
    <li>
      {id === null ? <Sn sn={deviceSn(row)} /> : <StatusLink kind={kind} id={id} sn={deviceSn(row)} />}
      <span>{dateTime(row.occurAt).slice(5, 16)}</span>
      <span>{ms === null ? t('notRecovered') : elapsed(ms)}</span>
    </li>
  );
}

function Members({ incident }: { incident: IncidentRow }) {
  const t = useMessages(texts);
  const members = useApiQuery(event.list, { query: { incidentId: incident.id, size: MEMBERS_SHOWN, sort: 'occurAt,asc' } });
  return (
    <PaneSection title={t('membersOf', { count: incident.members })}>
      <PanelState query={members} lines={5}>
        {({ items, total }) => (
          <ul className={styles['members']} aria-label={t('members')}>
            {items.map((row) => (
              <Member key={row.id} row={row} />
            ))}
            {total > items.length ? <li>{t('moreMembers', { count: total - items.length })}</li> : null}
          </ul>
        )}
      </PanelState>
    </PaneSection>
  );
}

/** An incident: what probably caused it, what to do, and its members. */
export function IncidentPane({ id, rows, select, buttonsOf }: PaneProps<IncidentRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const nameOf = useCodeName();
  const row = rows.find((one) => one.id === id);
  if (row === undefined) return null;
  const all = Math.max(row.devicesOfDcu, row.devices);
  const { cause, remedy } = adviceFor(row, all === 0 ? 0 : row.devices / all);
  return (
    <SidePane label={t('ofIncident', { id })}>
      <PaneHead
        icon={<Siren size={20} aria-hidden="true" />}
        title={nameOf(row)}
        place={[row.dcuSn, row.transformerName].filter(Boolean).join(' · ')}
        state={
          <>
            <StateOf tag sign={LEVEL[row.abnormalLevel ?? 'none']} />
            <span>{dateTime(row.openedAt)}</span>
          </>
        }
        {...stepsOf(rows, id, select)}
      />
      <PaneActions>{buttonsOf(row)}</PaneActions>
      <PaneSection title={say(ALARM_TEXT.cause)}>
        <p>{say(cause)}</p>
      </PaneSection>
      <PaneSection title={say(ALARM_TEXT.remedy)}>
        <p>{say(remedy)}</p>
      </PaneSection>
      <PaneSection title={t('properties')}>
        <Properties
          items={[
            { label: t('dcuSn'), value: <Sn sn={row.dcuSn} /> },
            { label: t('log'), value: say(EVENT_LOG_TEXT[row.log]) },
            { label: t('devices'), value: t('devicesOf', { count: row.devices, total: all }) },
            { label: t('weight'), value: `${figure(row.weight, 1)} h` },
            { label: t('closed'), value: row.closedAt === null ? t('notRecovered') : dateTime(row.closedAt) },
            { label: t('acknowledged'), value: t('devicesOf', { count: row.acknowledged, total: row.members }) },
          ]}
        />
      </PaneSection>
      <Members incident={row} />
    </SidePane>
  );
}
