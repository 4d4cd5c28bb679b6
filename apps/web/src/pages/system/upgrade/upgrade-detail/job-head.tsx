import type { ResponseOf } from '@hes/contract/core/route.ts';
import { HALT_TEXT, UPGRADE_JOB_ENDS, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeJob as routes } from '@hes/contract/upgrade/job.ts';
import { Alert, App, Button } from 'antd';
import { FileText } from 'lucide-react';
import { download } from '#shared/api/download.ts';
import { failureText } from '#shared/api/errors.ts';
import { useMay } from '#shared/api/may.ts';
import { StackBar } from '#shared/chart/bars.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { dateTime, elapsed } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { useNow } from '#shared/time/use-now.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { PanelState, type Loaded } from '#shared/ui/states.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { JobActions } from '#widgets/upgrade-job/job-actions.tsx';
import { UPGRADE_JOB } from '#widgets/upgrade-state/upgrade-tables.ts';
import { texts } from './messages.ts';
import styles from './detail.module.css';

type Job = ResponseOf<typeof routes.get>;

interface JobHeadProps {
  query: Loaded<Job>;
  ring: string | undefined;
  onRing: (ring: string | undefined) => void;
}

/** The upgrade as a whole: state, why it halted, how each ring stands, and what can be done. */
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

function Head({ job, ring, onRing }: { job: Job } & Pick<JobHeadProps, 'ring' | 'onRing'>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const save = () =>
    download(routes.report, { params: { id: job.id } }).catch((error: unknown) => void message.error(failureText(error), 0));
  const now = useNow();
  const until = job.finishedAt ? Date.parse(job.finishedAt) : now;
  const facts = [
    `${job.firmwareName} ${job.firmwareVersion}`,
    say(UPGRADE_TARGET_TEXT[job.targetKind]),
    `${t('targets')} ${figure(job.targets)}`,
    `${t('done')} ${figure(job.done)}`,
    `${t('failed')} ${figure(job.failed)}`,
    `${t('running')} ${figure(job.running)}`,
    `${t('elapsed')} ${elapsed(Math.max(0, until - Date.parse(job.startedAt ?? job.createdAt)))}`,
  ];
  const air = job.broadcasts;
  const isShut = job.window !== null && !job.isInWindow && !UPGRADE_JOB_ENDS.includes(job.state);
  return (
    <>
      <div className={styles['jobLine']}>
        <StateOf tag sign={UPGRADE_JOB[job.state]} extra={`${Math.floor(job.process)} %`} />
        <span>{facts.join(' · ')}</span>
        {isShut && job.window ? <span className={styles['sub']}>{t('shut', job.window)}</span> : null}
        <span className={styles['space']} />
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
              {one.ring === job.ring && !UPGRADE_JOB_ENDS.includes(job.state) ? ' ◂' : ''}
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
