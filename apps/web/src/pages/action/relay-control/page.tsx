import { approval } from '@hes/contract/action/approval.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { Badge, Segmented } from 'antd';
import { Activity, useCallback } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { ListPage } from '#shared/table/list-page.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { RecentRuns } from '#widgets/live-run/recent-runs.tsx';
import { NodeTree } from '#widgets/node-tree/node-tree.tsx';
import { Approvals } from './approvals.tsx';
import { HeldCalls } from './held-calls.tsx';
import { CommandLog } from './command-log.tsx';
import { GuardStrip } from './guard-strip.tsx';
import { texts } from './messages.ts';
import { RelayList } from './relay-list.tsx';
import { RelayRun } from './relay-run.tsx';
import styles from './relay.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'sn,asc',
  tab: 'relays',
  node: undefined,
  search: undefined,
  state: undefined,
  isProtected: undefined,
  sns: undefined,
  command: undefined,
  task: undefined,
};
const POLL_MS = 5000;

export default function RelayControl() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const guard = useApiQuery(relay.limits, { refetchMs: POLL_MS });
  const pending = useApiQuery(approval.list, { query: { state: 'pending', size: 1 }, refetchMs: POLL_MS });
  const open = useCallback((task: string) => setUrl({ task }), [setUrl]);
  const toPage = (page: string, size: string) => setUrl({ page, size });
  const lists = (
    <div className={styles['page']} data-tab={url.tab}>
      {url.tab === 'relays' ? (
        <Panel className={styles['tree']} title={t('network')}>
          <NodeTree
            until="dcu"
            selected={url.node}
            onSelect={(chosen) => setUrl(refilter({ node: chosen.key === url.node ? undefined : chosen.key }))}
          />
        </Panel>
      ) : null}
      <ListPage
        title={t('title')}
        purpose={t('purpose')}
        actions={
          <>
            <RecentRuns current={undefined} onOpen={open} />
            <Segmented
              aria-label={t('title')}
              value={url.tab}
              options={[
                { value: 'relays', label: t('relays') },
                {
                  value: 'approvals',
                  label: (
                    <Badge count={pending.data?.total ?? 0} size="small" offset={[10, -2]}>
                      {t('approvals')}
                    </Badge>
                  ),
                },
                { value: 'log', label: t('log') },
              ]}
              onChange={(tab) => setUrl({ tab, page: '1' })}
            />
          </>
        }
      >
        {guard.data ? <GuardStrip guard={guard.data} onChanged={() => void guard.refetch()} /> : null}
        {url.tab === 'approvals' ? <HeldCalls /> : null}
        {url.tab === 'approvals' ? <Approvals page={url.page} size={url.size} onPage={toPage} onOpen={open} /> : null}
        {url.tab === 'log' ? (
          <CommandLog
            page={url.page}
            size={url.size}
            state={url.command}
            onState={(command) => setUrl(refilter({ command }))}
            onPage={toPage}
            onOpen={open}
          />
        ) : null}
        {url.tab === 'relays' ? <RelayList url={url} setUrl={setUrl} onOpen={open} /> : null}
      </ListPage>
    </div>
  );
  return (
    <>
      {/* Hidden while a run is shown, to keep selection and scroll position. */}
      <Activity mode={url.task === undefined ? 'visible' : 'hidden'}>{lists}</Activity>
      {url.task === undefined ? null : <RelayRun key={url.task} id={url.task} onOpen={open} onBack={() => setUrl({ task: undefined })} />}
    </>
  );
}
