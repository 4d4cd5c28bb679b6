import { headed } from '@hes/contract/core/unit.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { StackBar } from '#kit/chart/bars.tsx';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { UPGRADE_JOB } from '#domain/upgrade-state/upgrade-tables.ts';
import { Card } from '#pages/dashboard/card.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import styles from './rail.module.css';

const REFRESH_MS = 60_000;
const OPEN = 'running,waiting_ring,paused,halted';

/** Unfinished upgrades; renders nothing without permission. */
export function UpgradesPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const isAllowed = may(upgradeJob.list);
  useTopic(isAllowed ? 'upgrade' : undefined);
  const query = useApiQuery(upgradeJob.list, { query: { state: OPEN, page: 1, size: 20 }, refetchMs: REFRESH_MS, enabled: isAllowed });
  const items = query.data?.items;
  return (
    <Card
      title={t('upgrades')}
      note={items ? String(items.length) : null}
      csv={
        items &&
        (() => [
          [t('upgrades'), t('status'), headed(t('progress'), '%'), t('meters')],
          ...items.map((job) => [job.name, say(UPGRADE_JOB[job.state].text), job.process, job.targets]),
        ])
      }
    >
      {isAllowed ? (
        <PanelState
          query={query}
          lines={3}
          isEmpty={(data) => data.items.length === 0}
          empty={<Empty small text={t('noUpgrades')} action={<Link to={to.upgrades({ tab: 'jobs' })}>{t('openUpgrades')}</Link>} />}
        >
          {(data) => (
            <ul className={styles['list']}>
              {data.items.map((job) => (
                <li key={job.id}>
                  <Link to={to.upgradeRecords({ jobId: job.id })} className={styles['task']}>
                    <span className={styles['taskName']}>
                      {job.name} <span className={styles['dim']}>{`${job.firmwareName} ${job.firmwareVersion}`}</span>
                    </span>
                    <span>{`${say(UPGRADE_JOB[job.state].text)} · ${Math.floor(job.process)} %`}</span>
                    <StackBar
                      height={4}
                      label={job.name}
                      rest={Math.max(0, job.targets - job.done - job.failed)}
                      parts={[
                        { value: job.done, tone: 'run', label: t('taskCounts', { done: job.done, total: job.targets }) },
                        { value: job.failed, tone: 'red', label: t('taskFailed', { count: job.failed }) },
                      ]}
                    />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </PanelState>
      ) : (
        <Empty small text={t('notYours')} />
      )}
    </Card>
  );
}
