import { say } from '@hes/contract/core/text.ts';
import { HALT_TEXT, UPGRADE_JOB_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { upgradeJobExport } from '@hes/contract/transfer/orders.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listJobs } from './queries.ts';

export const upgradeJobSheet = defineExport({
  routes: upgradeJobExport,
  list: upgradeJob.list,
  title: { en: 'Upgrades', zh: '升级任务' },
  columns: {
    name: { label: { en: 'Name', zh: '名称' }, cell: (row) => row.name },
    reason: { label: { en: 'Reason', zh: '原因' }, cell: (row) => row.reason },
    state: {
      label: { en: 'State', zh: '状态' },
      cell: (row, locale) =>
        [say(UPGRADE_JOB_TEXT[row.state], locale), row.haltCause && say(HALT_TEXT[row.haltCause], locale)].filter(Boolean).join(': '),
    },
    firmware: { label: { en: 'Firmware', zh: '固件' }, cell: (row) => `${row.firmwareName} ${row.firmwareVersion}` },
    kind: { label: { en: 'Target kind', zh: '升级对象' }, cell: (row, locale) => say(UPGRADE_TARGET_TEXT[row.targetKind], locale) },
    targets: { label: { en: 'Targets', zh: '目标数' }, cell: (row) => row.targets },
    done: { label: { en: 'Done', zh: '完成' }, cell: (row) => row.done },
    failed: { label: { en: 'Failed', zh: '失败' }, cell: (row) => row.failed },
    running: { label: { en: 'Running', zh: '执行中' }, cell: (row) => row.running },
    progress: { label: { en: 'Progress', zh: '进度' }, unit: '%', cell: (row) => row.process },
    ring: { label: { en: 'Ring', zh: '批次' }, cell: (row) => `${row.ring} / ${row.rings.length}` },
    started: { label: { en: 'Started', zh: '开始时间' }, kind: 'time', cell: (row) => row.startedAt },
    finished: { label: { en: 'Finished', zh: '结束时间' }, kind: 'time', cell: (row) => row.finishedAt },
    by: { label: { en: 'By', zh: '发起人' }, cell: (row) => row.createdByName },
  },
  page: ({ ctx, user, query }) => listJobs(ctx, user, query),
});
