import { to } from '@hes/contract/page/links.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { JobHead } from './job-head.tsx';
import { JobWall } from './job-wall.tsx';
import { recordList } from './list.tsx';
import { texts } from './messages.ts';
import { StateRail } from './state-rail.tsx';

/** One upgrade by `?jobId=`, or all records. */
export default function UpgradeDetailPage() {
  const t = useMessages(texts);
  const may = useMay();
  const list = useList(recordList);
  const { jobId, ring, sel } = list.url;
  useTopic(jobId === undefined ? 'upgrade' : `upgrade:${jobId}`);
  const job = useApiQuery(upgradeJob.get, {
    params: { id: jobId ?? '0' },
    enabled: jobId !== undefined && may(upgradeJob.get),
    refetchMs: recordList.refetchMs ?? false,
  });
  return (
    <ListView
      list={list}
      title={job.data && t('jobTitle', { name: job.data.name })}
      head={() => <LinkButton to={to.upgrades({ tab: 'jobs' })}>{t('allJobs')}</LinkButton>}
      before={() => (
        <>
          {jobId === undefined ? null : <JobHead query={job} ring={ring} onRing={(next) => list.filterBy({ ring: next })} />}
          {job.data?.targetKind === 'meter' ? (
            <JobWall jobId={job.data.id} selected={sel} onSelect={(next) => list.setUrl({ sel: next })} />
          ) : null}
        </>
      )}
      beside={() => <StateRail list={list} />}
    />
  );
}
