import type { ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { useMemo } from 'react';
import { useTopic } from '#core/live/live.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { ArchiveActions } from './archive-actions.tsx';
import { archiveList } from './archive-list.tsx';
import { archiveActions } from './actions.ts';
import { DcuHead } from './dcu-head.tsx';
import { LogPanel } from './log-panel.tsx';
import { texts } from './texts.ts';

/** Why a DCU cannot receive orders now. */
const obstacleOf = ({ onlineStatus, activeTaskId, lacks }: ArchiveSummary) =>
  reasonText(lacks) ?? (onlineStatus !== 'online' ? NOT_ONLINE_TEXT[onlineStatus] : activeTaskId === null ? undefined : texts.busyWhy);

interface DcuArchiveProps {
  summary: ArchiveSummary;
  onRun: (taskId: string) => void;
}

/** The archive of a DCU, compared with the head-end. The first comparison adds facets to its list, which is another list then. */
export const DcuArchive = (props: DcuArchiveProps) => (
  <Archive key={props.summary.comparedAt === null ? 'never compared' : 'compared'} {...props} />
);

function Archive({ summary, onRun }: DcuArchiveProps) {
  useTopic(`archive:${summary.dcuId}`);
  const why = obstacleOf(summary);
  const actions = useMemo(() => archiveActions(why), [why]);
  const isCompared = summary.comparedAt !== null;
  const declaration = useMemo(() => {
    const { facets, ...list } = archiveList;
    // Before the first comparison no difference has a count, and choosing one would show nothing.
    return { ...list, ...(isCompared && facets ? { facets } : {}), actions: Object.values(actions) };
  }, [actions, isCompared]);
  const list = useList(declaration);
  return (
    <ListView
      list={list}
      before={() => <DcuHead summary={summary} onOpenRun={onRun} />}
      above={() => <ArchiveActions list={list} actions={actions} summary={summary} why={why && list.tools.say(why)} />}
      after={() => <LogPanel dcuId={summary.dcuId} onOpen={onRun} />}
    />
  );
}
