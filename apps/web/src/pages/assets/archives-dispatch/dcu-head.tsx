import type { ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { task } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';
import { Button } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE, taskSign } from '#domain/states/tables.ts';
import { knownOf } from './known.ts';
import { texts } from './texts.ts';
import styles from './archives.module.css';

const POLL_MS = 10_000;

/** The open order of this archive: its kind and its progress. */
function ActiveRun({ id, onOpen }: { id: string; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  useTopic(`task:${id}`);
  const run = useApiQuery(task.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <div className={styles['running']} role="status">
      {run.data ? <StateOf tag sign={taskSign(run.data)} /> : null}
      <span>{run.data ? say(taskName(run.data)) : t('running')}</span>
      <Button size="small" onClick={() => onOpen(id)}>
        {t('openRun')}
      </Button>
    </div>
  );
}

/** A DCU, the state of its archive, and its open order. */
export function DcuHead({ summary, onOpenRun }: { summary: ArchiveSummary; onOpenRun: (taskId: string) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const { activeTaskId } = summary;
  const lacking = reasonText(summary.lacks);
  return (
    <Panel label={t('title')} className={styles['head']}>
      <div className={styles['of']}>
        <Sn sn={summary.dcuSn} />
        <StateOf tag sign={ONLINE[summary.onlineStatus]} />
        <small>{[summary.dcuName, summary.transformerName].filter(Boolean).join(' · ')}</small>
      </div>
      <dl className={styles['figures']}>
        <div>
          <dt>{t('boundHere')}</dt>
          <dd data-field="bound" data-value={summary.bound}>
            <Num value={summary.bound} /> <small>{t('ofMax', { max: summary.maxMeters })}</small>
          </dd>
        </div>
        <div>
          <dt>{t('inDcu')}</dt>
          <dd>
            <Num value={summary.dcuEntries} />
          </dd>
        </div>
        <div>
          <dt>{t('pending')}</dt>
          <dd data-field="pending" data-value={summary.pending} data-tone={summary.pending > 0 ? 'amber' : undefined}>
            <Num value={knownOf(summary, 'pending')} />
          </dd>
        </div>
        <div>
          <dt>{t('surplus')}</dt>
          <dd data-field="surplus" data-value={summary.surplus} data-tone={summary.surplus > 0 ? 'red' : undefined}>
            <Num value={knownOf(summary, 'surplus')} />
          </dd>
        </div>
        <div>
          <dt>{t('compared')}</dt>
          <dd>{lacking ? say(lacking) : summary.comparedAt ? dateTime(summary.comparedAt) : t('neverCompared')}</dd>
        </div>
      </dl>
      {activeTaskId === null ? null : <ActiveRun id={activeTaskId} onOpen={onOpenRun} />}
    </Panel>
  );
}
