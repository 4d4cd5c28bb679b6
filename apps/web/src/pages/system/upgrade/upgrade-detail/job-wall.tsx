import type { TaskItemState } from '@hes/contract/task/task.ts';
import { UPGRADE_ENDS, UPGRADE_FAILURES, UPGRADE_PLAIN_TEXT, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { upgradeRecord as routes } from '@hes/contract/upgrade/record.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { MeterWall } from '#domain/meter-wall/meter-wall.tsx';
import { texts } from './messages.ts';
import styles from './detail.module.css';

const POLL_MS = 30_000;
const UPGRADE = { kind: 'upgrade' };

/** The wall uses the colours of all runs: waiting, in progress, done, failed. */
const colourOf = (status: UpgradeState): TaskItemState =>
  status === 'idle'
    ? 'waiting'
    : UPGRADE_FAILURES.includes(status)
      ? 'read_fail'
      : UPGRADE_ENDS.includes(status)
        ? 'read_success'
        : 'reading';

interface JobWallProps {
  jobId: string;
  selected: string | undefined;
  onSelect: (recordId: string) => void;
}

/** One cell per meter of the upgrade, grouped by DCU. */
export function JobWall({ jobId, selected, onSelect }: JobWallProps) {
  const t = useMessages(texts);
  const query = useApiQuery(routes.byDcu, { query: { jobId }, keep: ['jobId'], refetchMs: POLL_MS });
  const groups = useMemo(
    () =>
      (query.data?.items ?? []).map((group) => ({
        ...group,
        cells: group.cells.map(({ id, sn, status }) => ({ id, meterSn: sn, state: colourOf(status), word: UPGRADE_PLAIN_TEXT[status] })),
      })),
    [query.data],
  );
  return (
    <Panel flush className={styles['wall']} label={t('wall')}>
      <PanelState query={query} lines={2}>
        {() => <MeterWall label={t('wall')} of={UPGRADE} groups={groups} selected={selected} onSelect={onSelect} />}
      </PanelState>
    </Panel>
  );
}
