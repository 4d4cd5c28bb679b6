import { relay } from '@hes/contract/action/relay.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Activity, useCallback } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useUrl } from '#core/url/use-url.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { RecentRuns } from '#domain/live-run/recent-runs.tsx';
import { approvalList } from './approval-list.tsx';
import { HeldCalls } from './held-calls.tsx';
import { GuardStrip } from './guard-strip.tsx';
import { logList } from './log-list.tsx';
import { RelayRun } from './relay-run.tsx';
import { RelayTabs } from './relay-tabs.tsx';
import { Relays } from './relays.tsx';
import styles from './relay.module.css';

const DEFAULTS = { tab: 'relays' } as const;
const POLL_MS = 5000;

export default function RelayControl() {
  const [{ tab, task }, setUrl] = useUrl(PAGE_WORDS.relays, DEFAULTS);
  const guard = useApiQuery(relay.limits, { refetchMs: POLL_MS });
  const open = useCallback((id: string) => setUrl({ task: id }), [setUrl]);
  const head = () => (
    <>
      <RecentRuns current={undefined} onOpen={open} />
      <RelayTabs tab={tab} />
    </>
  );
  const limits = () => (guard.data ? <GuardStrip guard={guard.data} onChanged={() => void guard.refetch()} /> : null);
  const lists = (
    <div className={styles['page']} data-tab={tab}>
      {tab === 'relays' ? <Relays head={head} before={limits} /> : null}
      {tab === 'approvals' ? (
        <ListScreen
          list={approvalList}
          head={head}
          before={() => (
            <>
              {limits()}
              <HeldCalls />
            </>
          )}
        />
      ) : null}
      {tab === 'log' ? <ListScreen list={logList} head={head} before={limits} /> : null}
    </div>
  );
  return (
    <>
      {/* Hidden while a run is shown, to keep selection and scroll position. */}
      <Activity mode={task === undefined ? 'visible' : 'hidden'}>{lists}</Activity>
      {task === undefined ? null : <RelayRun key={task} id={task} onOpen={open} onBack={() => setUrl({ task: undefined })} />}
    </>
  );
}
