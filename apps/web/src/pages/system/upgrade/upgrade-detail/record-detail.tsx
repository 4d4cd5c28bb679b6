import { UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeRecord as routes, type UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { to } from '@hes/contract/page/links.ts';
import { HardDriveDownload } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, clockTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Properties, Sn } from '#kit/basics/text.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { Frames } from '#domain/frames/frames.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import type { Sign } from '#kit/state/sign.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { PhaseBar } from '#domain/upgrade-state/phase-bar.tsx';
import { CHECK, recordSign, stepSign, UPGRADE } from '#domain/upgrade-state/upgrade-tables.ts';
import { cellsOf } from './block-map.ts';
import { notesAt } from './log-note.ts';
import { texts } from './messages.ts';
import styles from './detail.module.css';

const POLL_MS = 5000;

/** The received blocks of a device, in order. */
function BlockMap({ map }: { map: string }) {
  const t = useMessages(texts);
  return (
    <div className={styles['map']} role="img" aria-label={t('blockMap')}>
      {cellsOf(map).map(({ first, count, done }) => (
        <i
          key={first}
          data-part={done === 0 ? 'none' : done === count ? 'all' : 'some'}
          title={t('blockRange', { first: first + 1, last: first + count, done, count })}
        />
      ))}
    </div>
  );
}

function TimeLine({ id, jobState }: Pick<UpgradeRecordRow, 'id' | 'jobState'>) {
  const say = useSay();
  const t = useMessages(texts);
  const reason = useReason();
  const query = useApiQuery(routes.log, { params: { id }, refetchMs: POLL_MS });
  return (
    <PanelState query={query} lines={6} isEmpty={(data) => data.items.length === 0} empty={<Empty small text={t('noLog')} />}>
      {(data) => (
        <ol>
          {data.items.map((line, at) => (
            <li key={line.id} className={styles['line']} data-to={line.toStatus}>
              <StepGlyph sign={stepSign(line.toStatus, data.items[at + 1]?.toStatus, jobState)} />
              <span>{say(UPGRADE[line.toStatus].text)}</span>
              <time dateTime={line.at} title={dateTime(line.at)}>
                {clockTime(line.at)}
              </time>
              <LineNotes
                notes={[...(line.reasonCode === null ? notesAt(data.items, at, t) : [reason(line.reasonCode, line.text)]), line.userName]}
              />
            </li>
          ))}
        </ol>
      )}
    </PanelState>
  );
}

function LineNotes({ notes }: { notes: readonly (string | null | undefined)[] }) {
  const text = notes.filter(Boolean).join(' · ');
  return text === '' ? null : <p>{text}</p>;
}

const StepGlyph = ({ sign: { shape, tone, spin = false } }: { sign: Sign }) => <Glyph shape={shape} tone={tone} size={14} spin={spin} />;

/** Details of one device in an upgrade: phases, blocks, checks, all transitions, and the last frames. */
export function RecordDetail({ id, rows, select, buttonsOf }: PaneProps<UpgradeRecordRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const reason = useReason();
  const query = useApiQuery(routes.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <SidePane label={query.data ? `${t('title')} ${query.data.sn}` : t('title')}>
      <PanelState query={query} lines={10}>
        {(row) => (
          <>
            <PaneHead
              icon={<HardDriveDownload size={20} aria-hidden="true" />}
              title={<Sn sn={row.sn} />}
              place={[row.dcuSn, row.transformerName].filter(Boolean).join(' · ')}
              state={<StateOf tag sign={recordSign(row)} extra={`${Math.floor(row.process)} %`} />}
              {...stepsOf(rows, id, select)}
            />
            <PhaseBar named status={row.status} failedIn={row.failedIn} process={row.process} />
            <PaneActions>{buttonsOf(row)}</PaneActions>
            <PaneSection
              title={t('blockMap')}
              {...(row.blocksTotal === null
                ? {}
                : {
                    note: t('blocksOf', {
                      done: figure(row.blocksDone),
                      total: figure(row.blocksTotal),
                      size: row.blockSize ?? 0,
                    }),
                  })}
            >
              {row.blockMap === '' ? <Empty small text={t('noBlocks')} /> : <BlockMap map={row.blockMap} />}
            </PaneSection>
            <PaneSection title={t('properties')}>
              <Properties
                items={[
                  { label: t('type'), value: say(UPGRADE_TARGET_TEXT[row.type]) },
                  { label: t('firmware'), value: row.firmwareName },
                  { label: t('oldVersion'), value: <span className="mono">{row.oldVersion ?? '—'}</span> },
                  { label: t('newVersion'), value: <span className="mono">{row.newVersion}</span> },
                  {
                    label: t('checkResult'),
                    value: row.checkResult ? <StateOf sign={CHECK[row.checkResult]} extra={row.checkText ?? ''} /> : '—',
                  },
                  { label: t('reason'), value: reason(row.reasonCode, row.reasonText) ?? '—' },
                  ...(row.scheduledAt ? [{ label: t('scheduledAt'), value: dateTime(row.scheduledAt) }] : []),
                  { label: t('ring'), value: <Num value={row.ring} /> },
                  { label: t('retries'), value: <Num value={row.attempts} /> },
                  { label: t('sent'), value: <Num value={row.octetsSent} unit={t('octets')} /> },
                  { label: t('rate'), value: <Num value={row.rate} unit={t('perSecond')} /> },
                  { label: t('started'), value: row.startedAt ? dateTime(row.startedAt) : '—' },
                  { label: t('finished'), value: row.finishedAt ? dateTime(row.finishedAt) : '—' },
                  {
                    label: t('openDevice'),
                    value: (
                      <Link to={row.deviceKind === 'dcu' ? to.dcus({ sel: row.deviceId }) : to.meterAssets({ sel: row.deviceId })}>
                        {row.sn}
                      </Link>
                    ),
                  },
                ]}
              />
            </PaneSection>
            <PaneSection title={t('checks')}>
              {row.postChecks.length === 0 ? (
                <Empty small text={t('noChecks')} />
              ) : (
                <div className={styles['checks']}>
                  {row.postChecks.flatMap((check) => [
                    <span key={check.key}>
                      {t(`check_${check.key}`)} <small>{reason(check.detail)}</small>
                    </span>,
                    <StateOf key={`${check.key}-result`} sign={CHECK[check.result]} />,
                  ])}
                </div>
              )}
            </PaneSection>
            <PaneSection title={t('timeline')}>
              <TimeLine id={id} jobState={row.jobState} />
            </PaneSection>
            {row.traceId === null ? null : (
              <PaneSection title={t('trace')}>
                <Frames traceId={row.traceId} />
              </PaneSection>
            )}
          </>
        )}
      </PanelState>
    </SidePane>
  );
}
