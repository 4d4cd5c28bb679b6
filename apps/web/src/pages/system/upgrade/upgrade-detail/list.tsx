import { DcuSn } from '#domain/states/dcu-sn.tsx';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { CHECK_RESULT_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { MAX_RINGS, upgradeJob } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord as routes, upgradeRecordExport, type UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { reasonOf } from '#domain/device-run/reason.ts';
import { PhaseBar } from '#domain/upgrade-state/phase-bar.tsx';
import { CHECK, recordSign } from '#domain/upgrade-state/upgrade-tables.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { instantsFilter } from '#kit/list/days-filter.tsx';
import { linkFilter, objectFilter, textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { recordActions } from './actions.tsx';
import { texts } from './messages.ts';
import { RecordDetail } from './record-detail.tsx';
import styles from './detail.module.css';

/** The newest upgrades; older ones are opened from their list. */
const JOBS = 100;
const RINGS = Array.from({ length: MAX_RINGS + 1 }, (_, at) => String(at + 1));

const useJobs = () =>
  (useApiQuery(upgradeJob.list, { query: { page: 1, size: JOBS } }).data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));

function useRings() {
  const t = useMessages(texts);
  return RINGS.map((ring) => ({ value: ring, label: t('ringNo', { ring }) }));
}

const jobFilter = objectFilter('jobId', texts.job, { useOptions: useJobs, right: upgradeJob.list, width: 190 });

const failureOf = ({ reasonCode, reasonText }: UpgradeRecordRow, { say }: { say: (text: Text) => string }) =>
  reasonOf(say, reasonCode, reasonText) ?? '—';

/** The devices of one upgrade, or of all. */
export const recordList = defineList({
  route: routes.list,
  path: PAGE_PATH.upgradeRecords,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.sn,
  sort: 'time,desc',
  size: '50',
  refetchMs: 30_000,
  filters: [
    textFilter('sn', texts.sn, { width: 170 }),
    textFilter('dcuSn', texts.dcu, { width: 150 }),
    { ...jobFilter, isScope: true },
    objectFilter('ring', texts.ring, { useOptions: useRings, width: 110 }),
    wordFilter('type', texts.type, UPGRADE_TARGET_TEXT, { width: 170 }),
    wordFilter('checkResult', texts.checkResult, CHECK_RESULT_TEXT, { width: 170 }),
    instantsFilter(texts.range),
    /** States separated by commas, chosen beside the list. */
    linkFilter('status'),
    linkFilter('dcuId'),
  ],
  columns: [
    { key: 'sn', title: texts.sn, width: 160, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    { key: 'type', title: texts.type, width: 120, low: true, cell: (row, { say }) => say(UPGRADE_TARGET_TEXT[row.type]) },
    { key: 'status', title: texts.status, width: 160, sort: 'status', cell: (row) => <StateOf sign={recordSign(row)} /> },
    {
      key: 'process',
      title: texts.process,
      width: 190,
      sort: 'process',
      value: (row) => row.process,
      cell: (row) => (
        <span className={styles['process']}>
          <PhaseBar status={row.status} failedIn={row.failedIn} process={row.process} />
          <span>{Math.floor(row.process)} %</span>
        </span>
      ),
    },
    { key: 'oldVersion', title: texts.oldVersion, width: 144, mono: true, low: true, value: (row) => row.oldVersion },
    { key: 'newVersion', title: texts.newVersion, width: 144, mono: true, low: true, value: (row) => row.newVersion },
    {
      key: 'checkResult',
      title: texts.checkResult,
      width: 116,
      low: true,
      cell: (row) => (row.checkResult ? <StateOf sign={CHECK[row.checkResult]} /> : '—'),
    },
    {
      key: 'reason',
      title: texts.reason,
      low: true,
      cell: (row, tools) => <span title={failureOf(row, tools)}>{failureOf(row, tools)}</span>,
    },
    { key: 'jobName', title: texts.job, width: 150, low: true, isShown: ({ jobId }) => jobId === undefined, value: (row) => row.jobName },
    {
      key: 'blocksDone',
      title: texts.block,
      width: 106,
      low: true,
      align: 'right',
      value: (row) => row.blocksDone,
      cell: (row) => (row.blocksTotal === null ? '—' : `${figure(row.blocksDone)} / ${figure(row.blocksTotal)}`),
    },
    { key: 'ring', title: texts.ring, width: 76, align: 'right', low: true, sort: 'ring', value: (row) => row.ring },
    {
      key: 'rate',
      title: texts.rate,
      width: 96,
      align: 'right',
      low: true,
      cell: (row, { say }) => <Num value={row.rate} unit={say(texts.perSecond)} />,
    },
    { key: 'attempts', title: texts.retries, width: 96, align: 'right', low: true, sort: 'attempts', value: (row) => row.attempts },
    { key: 'dcuSn', title: texts.dcu, width: 160, low: true, cell: (row) => <DcuSn sn={row.dcuSn} /> },
    { key: 'time', title: texts.time, width: 160, sort: 'time', time: (row) => row.time },
  ],
  actions: recordActions,
  export: upgradeRecordExport,
  Pane: RecordDetail,
  empty: texts.noRecords,
  emptyHint: texts.noRecordsHint,
});
