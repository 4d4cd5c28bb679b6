import type { TaskRow } from '@hes/contract/task/task.ts';
import { itemText } from '@hes/contract/task/words.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { Meter, StackBar } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { useNow } from '#core/time/use-now.ts';
import { Empty } from '#kit/basics/states.tsx';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { numberedTaskName } from '@hes/contract/task/words.ts';
import { jobPath } from '#domain/live-run/jobs.ts';
import { failureParts } from '#domain/live-run/outcome.ts';
import { paceOf } from '#domain/live-run/run-counts.ts';
import { texts as runTexts } from '#domain/live-run/texts.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { TASK } from '#domain/states/tables.ts';
import { messages } from '#app/messages.ts';
import bar from './status-bar.module.css';
import styles from './job-tray.module.css';

const percent = (done: number, total: number): string => `${Math.floor((done / total) * 100)}%`;

function Job({ job, onOpen }: { job: TaskRow; onOpen: () => void }) {
  const t = useMessages(messages);
  const runWords = useMessages(runTexts);
  const say = useSay();
  useTopic(`task:${job.id}`);
  const { leftMs } = paceOf(job, job.done, job.total, useNow());
  const name = say(numberedTaskName(job));
  return (
    <li>
      <Link to={jobPath(job)} onClick={onOpen}>
        <b>{name}</b>
        <span>
          {job.state === 'paused' ? <StateOf sign={TASK.paused} /> : null} {job.total > 0 ? percent(job.done, job.total) : null}
        </span>
        <div className={styles['bar']}>
          <StackBar
            height={4}
            label={name}
            rest={job.total - job.done}
            parts={[
              { value: job.ok, tone: 'run', label: say(itemText(job, 'read_success')) },
              { value: job.failed - job.unknown, tone: 'red', label: say(itemText(job, 'read_fail')) },
              { value: job.unknown, tone: 'amber', label: say(itemText(job, 'unknown')) },
            ]}
          />
        </div>
        <p>
          {figure(job.done)} / {figure(job.total)} ·{' '}
          {job.failed > 0 ? <span className={styles['failed']}>{failureParts(runWords, job).join(' · ')}</span> : runWords('noFailures')}
          {leftMs === undefined ? null : ` · ${t('timeLeft', { time: elapsed(leftMs) })}`}
        </p>
      </Link>
    </li>
  );
}

/** Long jobs on every page: the number running and paused, their progress, and links to them. */
export function JobTray({ jobs }: { jobs: TaskRow[] }) {
  const t = useMessages(messages);
  const [open, setOpen] = useState(false);
  const total = jobs.reduce((sum, job) => sum + job.total, 0);
  const done = jobs.reduce((sum, job) => sum + job.done, 0);
  const paused = jobs.filter((job) => job.state === 'paused').length;
  const moving = jobs.length - paused;
  const content = (
    <section className={styles['tray']} aria-label={t('runningJobs')}>
      <h2>{t('runningJobs')}</h2>
      {jobs.length === 0 ? <Empty small text={t('noJobs')} /> : null}
      <ul>
        {jobs.map((job) => (
          <Job key={job.id} job={job} onOpen={() => setOpen(false)} />
        ))}
      </ul>
    </section>
  );
  return (
    <WithPopup open={open} onOpenChange={setOpen} trigger={['click']} placement="topLeft" arrow={false} content={content}>
      <button type="button" className={`${bar['item']} ${bar['button']}`} aria-haspopup="dialog" aria-expanded={open}>
        {moving > 0 ? <Glyph shape="arc" tone="run" size={12} spin /> : null}
        {moving > 0 ? t('jobs', { count: moving }) : paused > 0 ? null : t('noJobs')}
        {paused > 0 ? <Glyph shape={TASK.paused.shape} tone={TASK.paused.tone} size={12} /> : null}
        {paused > 0 ? t('jobsPaused', { count: paused }) : null}
        {total > 0 ? (
          <span className={bar['progress']}>
            <Meter value={done} max={total} tone="run" label={t('jobs', { count: jobs.length })} />
          </span>
        ) : null}
        {total > 0 ? percent(done, total) : null}
      </button>
    </WithPopup>
  );
}
