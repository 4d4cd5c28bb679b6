import { joinTexts, nameText, type Text } from '@hes/contract/core/text.ts';
import { HALT_TEXT, UPGRADE_JOB_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeJobExport } from '@hes/contract/transfer/orders.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { to } from '@hes/contract/page/links.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { ListChecks } from 'lucide-react';
import { StackBar } from '#kit/chart/bars.tsx';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import { figure } from '#core/time/number.ts';
import { Num } from '#kit/basics/text.tsx';
import { textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { JobActions } from '#domain/upgrade-job/job-actions.tsx';
import { UPGRADE_JOB } from '#domain/upgrade-state/upgrade-tables.ts';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

const joined = (...parts: readonly Text[]): Text => joinTexts(parts, nameText(' / '));

/** All upgrades, newest first; a click opens the details. */
export const jobsList = defineList({
  route: upgradeJob.list,
  path: PAGE_PATH.upgrades,
  at: { tab: 'jobs' },
  title: texts.jobs,
  purpose: texts.purpose,
  rowName: (job) => job.name,
  sort: 'createdAt,desc',
  refetchMs: 30_000,
  filters: [
    textFilter('name', texts.name),
    wordFilter('state', texts.state, UPGRADE_JOB_TEXT, { width: 170 }),
    wordFilter('targetKind', texts.targetKind, UPGRADE_TARGET_TEXT, { width: 180 }),
  ],
  columns: [
    { key: 'name', title: texts.name, sort: 'name', cell: (job) => <span title={job.reason}>{job.name}</span> },
    {
      key: 'state',
      title: texts.state,
      width: 262,
      sort: 'state',
      cell: (job, { say }) => <StateOf sign={UPGRADE_JOB[job.state]} extra={job.haltCause ? `· ${say(HALT_TEXT[job.haltCause])}` : ''} />,
    },
    { key: 'firmware', title: texts.firmware, width: 200, cell: (job) => `${job.firmwareName} ${job.firmwareVersion}` },
    { key: 'kind', title: texts.targetKind, width: 140, low: true, cell: (job, { say }) => say(UPGRADE_TARGET_TEXT[job.targetKind]) },
    {
      key: 'targets',
      title: texts.targets,
      width: 86,
      align: 'right',
      value: (job) => job.targets,
      cell: (job) => <Num value={job.targets} />,
    },
    {
      key: 'counts',
      inFiles: ['done', 'failed', 'running'],
      title: joined(texts.done, texts.failed, texts.running),
      width: 170,
      cell: (job) => [job.done, job.failed, job.running].map((count) => figure(count)).join(' / '),
    },
    {
      key: 'progress',
      title: texts.progress,
      width: 180,
      value: (job) => job.process,
      cell: (job, { say }) => (
        <span className={styles['progress']}>
          <StackBar
            label={say(texts.progress)}
            rest={Math.max(0, job.targets - job.done - job.failed - job.running)}
            parts={[
              { value: job.done, tone: 'ok', label: say(texts.done) },
              { value: job.failed, tone: 'red', label: say(texts.failed) },
              { value: job.running, tone: 'run', label: say(texts.running) },
            ]}
          />
          <span>{Math.floor(job.process)} %</span>
        </span>
      ),
    },
    { key: 'ring', title: texts.ring, width: 76, cell: (job) => `${job.ring} / ${job.rings.length}` },
    { key: 'started', title: texts.started, width: 160, sort: 'startedAt', time: (job) => job.startedAt },
    { key: 'by', title: texts.by, width: 110, low: true, cell: (job) => job.createdByName ?? '—' },
    {
      key: 'actions',
      title: texts.more,
      hasHiddenTitle: true,
      width: 110,
      cell: (job) => (
        <OwnClicks>
          <JobActions job={job} small />
        </OwnClicks>
      ),
    },
  ],
  onRow: {
    key: 'open',
    label: texts.jobs,
    icon: ListChecks,
    right: upgradeJob.list,
    act: { kind: 'link', to: ({ id }) => to.upgradeRecords({ jobId: id }) },
  },
  export: upgradeJobExport,
  empty: texts.noJobs,
});
