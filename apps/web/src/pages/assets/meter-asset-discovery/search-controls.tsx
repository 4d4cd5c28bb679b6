import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { discovery, MAX_DCUS_PER_SEARCH, type DiscoveryRun } from '@hes/contract/asset/discovery.ts';
import { discoveryMode, type DiscoveryMode } from '@hes/contract/states/discovery.ts';
import { App, Button, InputNumber, Segmented } from 'antd';
import { Radar, Square } from 'lucide-react';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { Meter } from '#kit/chart/bars.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed, serverNow } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { SEARCH } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const DEFAULT_MINUTES = 30;
const SECOND_MS = 1000;

export const isRunning = (run: DiscoveryRun): boolean => run.state === 'starting' || run.state === 'searching' || run.state === 'stopping';

function RunLine({ run, onStop, stopping }: { run: DiscoveryRun; onStop: () => void; stopping: boolean }) {
  const t = useMessages(texts);
  const may = useMay();
  useNow(SECOND_MS);
  const now = serverNow();
  const startedAt = Date.parse(run.startedAt);
  const endsAt = Date.parse(run.endsAt);
  return (
    <li>
      <Sn sn={run.dcuSn} />
      <StateOf tag sign={SEARCH[run.state]} />
      <span>{t(run.mode)}</span>
      <span data-field="found" data-value={run.found}>
        {t('runFound', { count: run.found })}
      </span>
      <span className={styles['progress']}>
        <Meter
          value={Math.min(now, endsAt) - startedAt}
          max={endsAt - startedAt}
          tone="run"
          label={elapsed(Math.max(0, now - startedAt))}
        />
      </span>
      <span>{elapsed(Math.max(0, now - startedAt))}</span>
      <span className={styles['dim']}>{t('runLeft', { time: elapsed(Math.max(0, endsAt - now)) })}</span>
      <span className={styles['space']} />
      {may(discovery.stop) ? (
        <Button
          size="small"
          danger
          icon={<Square size={12} aria-hidden="true" />}
          aria-label={`${t('stop')} ${run.dcuSn}`}
          loading={stopping}
          disabled={run.state === 'stopping'}
          onClick={onStop}
        >
          {t('stop')}
        </Button>
      ) : null}
    </li>
  );
}

/** The DCUs at or under the chosen nodes. */
async function dcusOf(nodes: readonly NodeKey[]): Promise<{ id: string; sn: string; isOnline: boolean }[] | string> {
  const found = new Map<string, { id: string; sn: string; isOnline: boolean }>();
  for (const node of nodes) {
    const answer = await call(archive.summary, { query: { node, size: MAX_DCUS_PER_SEARCH } });
    if (!answer.ok) return answer.error.message;
    for (const row of answer.data.items) found.set(row.dcuId, { id: row.dcuId, sn: row.dcuSn, isOnline: row.onlineStatus === 'online' });
  }
  return [...found.values()];
}

interface SearchControlsProps {
  /** The nodes checked in the tree, or else the displayed one. */
  nodes: readonly NodeKey[];
  runs: DiscoveryRun[];
  onChanged: () => void;
}

/** Starts searches, shows the running ones, and stops them. */
export function SearchControls({ nodes, runs, onChanged }: SearchControlsProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [mode, setMode] = useState<DiscoveryMode>('both');
  const [minutes, setMinutes] = useState(DEFAULT_MINUTES);
  const [isBusy, setBusy] = useState(false);
  const failure = (error: Error) => void message.error(error.message, 0);
  const start = useApiMutation(discovery.start, { success: onChanged, failure });
  const stop = useApiMutation(discovery.stop, { success: onChanged, failure });
  const order = async () => {
    if (nodes.length === 0) return void message.warning(t('selectNode'));
    setBusy(true);
    const dcus = await dcusOf(nodes);
    setBusy(false);
    if (typeof dcus === 'string') return void message.error(dcus, 0);
    const offline = dcus.filter((dcu) => !dcu.isOnline);
    if (dcus.length === 0) return void message.warning(t('noSn'));
    if (offline.length > 0)
      return void message.warning(`${t('selectValid')} ${t('offlineDcus', { sns: offline.map((dcu) => dcu.sn).join(', ') })}`, 6);
    start.mutate({ body: { dcuIds: dcus.map((dcu) => dcu.id), mode, minutes } });
  };
  const running = runs.filter(isRunning);
  const last = runs.find((run) => !isRunning(run));
  return (
    <Panel label={t('startSearch')}>
      <div className={styles['controls']}>
        <Segmented
          aria-label={t('searchMode')}
          value={mode}
          options={discoveryMode.options.map((value) => ({ value, label: t(value) }))}
          onChange={setMode}
        />
        <label htmlFor="search-minutes">{t('duration')}</label>
        <InputNumber<number>
          id="search-minutes"
          min={10}
          max={120}
          step={10}
          value={minutes}
          onChange={(value) => setMinutes(value ?? DEFAULT_MINUTES)}
        />
        {may(discovery.start) ? (
          <Button
            type="primary"
            icon={<Radar size={15} aria-hidden="true" />}
            loading={isBusy || start.isPending}
            onClick={() => void order()}
          >
            {t('startSearch')}
          </Button>
        ) : null}
        <span className={styles['space']} />
        <span className={styles['dim']}>
          {running.length > 0 ? null : last ? t('lastRun', { at: dateTime(last.startedAt), count: last.found }) : t('noRun')}
        </span>
      </div>
      {running.length > 0 ? (
        <ul className={styles['runs']} aria-live="polite">
          {running.map((run) => (
            <RunLine
              key={run.id}
              run={run}
              stopping={stop.isPending && stop.variables?.params?.id === run.id}
              onStop={() => stop.mutate({ params: { id: run.id } })}
            />
          ))}
        </ul>
      ) : null}
    </Panel>
  );
}
