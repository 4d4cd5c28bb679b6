import type { ResponseOf } from '@hes/contract/core/route.ts';
import { HALT_TEXT, UPGRADE_JOB_ENDS, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeJob as routes } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord as records } from '@hes/contract/upgrade/record.ts';
import { Alert, App, Button } from 'antd';
import { FileText, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useMay } from '#core/api/may.ts';
import { StackBar } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { useNow } from '#core/time/use-now.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Spoken } from '#kit/basics/spoken.tsx';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import { useReload } from '#core/api/use-reload.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { JobActions } from '#domain/upgrade-job/job-actions.tsx';
import { UPGRADE_JOB } from '#domain/upgrade-state/upgrade-tables.ts';
import { texts } from './messages.ts';
import { RetryDialog } from './retry-dialog.tsx';
import styles from './detail.module.css';

type Job = ResponseOf<typeof routes.get>;

const HOUR_MS = 3_600_000;

interface JobHeadProps {
  query: Loaded<Job>;
  ring: string | undefined;
  onRing: (ring: string | undefined) => void;
}

/** The upgrade as a whole: state, reason of a halt, rings, and actions. */
export function JobHead({ query, ring, onRing }: JobHeadProps) {
  const t = useMessages(texts);
  return (
    <Panel className={styles['job']} label={t('job')}>
      <PanelState query={query} lines={3}>
        {(job) => <Head job={job} ring={ring} onRing={onRing} />}
      </PanelState>
    </Panel>
  );
}

/** Retries all failed devices, not only those of the displayed page. */
function RetryFailed({ job }: { job: Job }) {
  const t = useMessages(texts);
  const may = useMay();
  const reload = useReload(records.list);
  const [isAsking, setAsking] = useState(false);
  if (!may(records.retry)) return null;
  return (
    <>
      <Button icon={<RotateCcw size={14} aria-hidden="true" />} onClick={() => setAsking(true)}>
        {t('retryFailed', { count: figure(job.failed) })}
      </Button>
      {isAsking ? (
        <RetryDialog
          of={{ jobId: job.id }}
          count={job.failed}
          onDone={() => {
            setAsking(false);
            reload();
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

function Head({ job, ring, onRing }: { job: Job } & Pick<JobHeadProps, 'ring' | 'onRing'>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const save = () =>
    download(routes.report, { params: { id: job.id } }).catch((error: unknown) => void message.error(failureText(error), 0));
  const now = useNow();
  const isOver = UPGRADE_JOB_ENDS.includes(job.state);
  const isShut = job.window !== null && !job.isInWindow && !isOver;
  const spentMs = Math.max(0, (job.finishedAt ? Date.parse(job.finishedAt) : now) - Date.parse(job.startedAt ?? job.createdAt));
  const ended = job.done + job.failed;
  const facts = [
    `${job.firmwareName} ${job.firmwareVersion}`,
    say(UPGRADE_TARGET_TEXT[job.targetKind]),
    `${t('targets')} ${figure(job.targets)}`,
    `${t('done')} ${figure(job.done)}`,
    `${t('failed')} ${figure(job.failed)}`,
    `${t('running')} ${figure(job.running)}`,
    `${t('elapsed')} ${elapsed(spentMs)}`,
    // Until one of them has ended, the rate is unknown.
    ...(ended > 0 && spentMs > 0 ? [t('speed', { count: figure(Math.round((ended * HOUR_MS) / spentMs)) })] : []),
    ...(ended > 0 && job.state === 'running' && !isShut ? [`${t('left')} ${elapsed((spentMs * (job.targets - ended)) / ended)}`] : []),
  ];
  const air = job.broadcasts;
  return (
    <>
      <div className={styles['jobLine']}>
        <StateOf tag sign={UPGRADE_JOB[job.state]} extra={`${Math.floor(job.process)} %`} />
        <span>{facts.join(' · ')}</span>
        {isShut && job.window ? <span className={styles['sub']}>{t('shut', job.window)}</span> : null}
        <span className={styles['space']} />
        {job.failed > 0 ? <RetryFailed job={job} /> : null}
        <JobActions job={job} />
        {may(routes.report) ? (
          <Button icon={<FileText size={15} aria-hidden="true" />} onClick={() => void save()}>
            {t('report')}
          </Button>
        ) : null}
      </div>
      <p className={styles['sub']}>{t('startedBy', { at: dateTime(job.createdAt), name: job.createdByName ?? '—', reason: job.reason })}</p>
      {air ? (
        <p className={styles['sub']}>
          {t('broadcasts', {
            done: figure(air.done),
            total: figure(air.total),
            octets: figure(air.octetsSent),
            all: figure(job.octetsSent),
          })}
          {air.failed > 0 ? ` · ${t('broadcastsFailed', { count: air.failed })}` : ''}
        </p>
      ) : null}
      {job.state === 'halted' && job.haltCause ? (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={t('halted', { cause: say(HALT_TEXT[job.haltCause]) })}
          description={job.haltDetail ? t('haltDetail', job.haltDetail) : undefined}
        />
      ) : null}
      <Spoken text={t('spoken', { done: job.done, targets: job.targets, failed: job.failed })} />
      <div className={styles['rings']} role="group" aria-label={t('ring')}>
        {job.rings.map((one) => (
          <button
            key={one.ring}
            type="button"
            aria-pressed={ring === String(one.ring)}
            onClick={() => onRing(ring === String(one.ring) ? undefined : String(one.ring))}
          >
            <b>
              {t('ringNo', { ring: one.ring })}
              {one.ring === job.ring && !isOver ? ' ◂' : ''}
            </b>
            <span>
              {t('ringCount', { done: figure(one.done), targets: figure(one.targets) })}
              {one.failed > 0 ? <span className={styles['red']}> · {t('ringFailed', { count: figure(one.failed) })}</span> : null}
            </span>
            <StackBar
              height={6}
              label={t('ringNo', { ring: one.ring })}
              rest={Math.max(0, one.targets - one.done - one.failed)}
              parts={[
                { value: one.done, tone: 'ok', label: t('done') },
                { value: one.failed, tone: 'red', label: t('failed') },
              ]}
            />
          </button>
        ))}
      </div>
    </>
  );
}
