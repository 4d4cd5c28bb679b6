import { CHECK_RESULT_TEXT, UPGRADE_TARGET_TEXT, UPGRADE_TEXT } from '@hes/contract/states/upgrade.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { say } from '@hes/contract/core/text.ts';
import { upgradeRecord, upgradeRecordExport } from '@hes/contract/upgrade/record.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listRecords } from './queries.ts';

export const upgradeRecordSheet = defineExport({
  routes: upgradeRecordExport,
  list: upgradeRecord.list,
  title: { en: 'Upgrade Detail', zh: '升级详情' },
  columns: {
    sn: { label: { en: 'SN', zh: '编号' }, cell: (row) => row.sn },
    dcuSn: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    type: { label: { en: 'Type', zh: '类型' }, cell: (row, locale) => say(UPGRADE_TARGET_TEXT[row.type], locale) },
    time: { label: { en: 'Time', zh: '时间' }, kind: 'time', cell: (row) => row.time },
    status: { label: { en: 'Status', zh: '状态' }, cell: (row, locale) => say(UPGRADE_TEXT[row.status], locale) },
    oldVersion: { label: { en: 'Old version', zh: '旧版本' }, cell: (row) => row.oldVersion },
    newVersion: { label: { en: 'New version', zh: '新版本' }, cell: (row) => row.newVersion },
    checkResult: {
      label: { en: 'Check result', zh: '校验结果' },
      cell: (row, locale) => row.checkResult && say(CHECK_RESULT_TEXT[row.checkResult], locale),
    },
    process: { label: { en: 'Process', zh: '进度' }, unit: '%', cell: (row) => row.process },
    ring: { label: { en: 'Ring', zh: '批次' }, cell: (row) => row.ring },
    blocksDone: {
      label: { en: 'Blocks done', zh: '已传块数' },
      cell: (row) => (row.blocksTotal === null ? null : `${row.blocksDone} / ${row.blocksTotal}`),
    },
    blocksTotal: { label: { en: 'Blocks', zh: '总块数' }, cell: (row) => row.blocksTotal },
    rate: { label: { en: 'Rate', zh: '速率' }, unit: 'B/s', cell: (row) => row.rate },
    attempts: { label: { en: 'Retries', zh: '重试次数' }, cell: (row) => row.attempts },
    reason: {
      label: { en: 'Reason', zh: '原因' },
      cell: (row, locale) => {
        const reason = reasonText(row.reasonCode);
        return reason === undefined ? row.reasonText : [say(reason, locale), row.reasonText].filter(Boolean).join(': ');
      },
    },
    jobName: { label: { en: 'Upgrade', zh: '升级任务' }, cell: (row) => row.jobName },
  },
  page: ({ ctx, user, query }) => listRecords(ctx, user, query),
});
