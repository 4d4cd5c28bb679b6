import {
  MAX_METERS_AT_ONCE,
  MAX_REPEAT_S,
  MIN_REPEAT_S,
  realTime,
  realTimeGroup,
  type RealTimeGroup,
} from '@hes/contract/action/real-time.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { isOver, task } from '@hes/contract/task/task.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Checkbox, InputNumber, Switch } from 'antd';
import { Download, Play, RotateCw, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { call } from '#core/api/client.ts';
import { failureText } from '#core/api/errors.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { useUrl } from '#core/url/use-url.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { downloadCsv } from '#core/files/download-csv.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, Skeleton } from '#kit/basics/states.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { Frames } from '#domain/frames/frames.tsx';
import { DeviceTargets, metersIn } from '#domain/targets/device-targets.tsx';
import { meterIdsUnder, nodesOfKeys } from '#domain/targets/resolve-targets.ts';
import { texts } from './messages.ts';
import { MeterCard } from './meter-card.tsx';
import { addSample, type Sample } from './meter-values.ts';
import { seriesSheet } from './series-sheet.ts';
import { useRepeat, type StopReason } from './use-repeat.ts';
import styles from './real-time.module.css';

/** Fallback for live messages that were lost while the link was down. */
const POLL_MS = 5000;
const DEFAULT_EVERY_S = 10;
const NOTHING: ReadonlyMap<string, Sample[]> = new Map();

function Workplace({ prefilled }: { prefilled: TreeNode[] }) {
  const t = useMessages(texts);
  const locale = usePreferences((state) => state.locale);
  const nameOf = useItemName();
  const { message } = App.useApp();
  const [url, setUrl] = useUrl(PAGE_WORDS.realTimeReading);
  const [checked, setChecked] = useState(() => new Map(prefilled.map((node) => [node.key, node])));
  const [groups, setGroups] = useState<RealTimeGroup[]>([...realTimeGroup.options]);
  const [isRepeating, setRepeating] = useState(false);
  const [every, setEvery] = useState(DEFAULT_EVERY_S);
  const [keep, setKeep] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [series, setSeries] = useState(NOTHING);
  const [stopped, setStopped] = useState<StopReason>();
  useTopic(url.task && `task:${url.task}`);

  const items = useApiQuery(task.items, {
    params: { id: url.task ?? '0' },
    query: { size: MAX_METERS_AT_ONCE },
    enabled: url.task !== undefined,
    refetchMs: POLL_MS,
  });
  const rows = (items.data?.items ?? []).toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const hasEnded = rows.length > 0 && rows.every(isOver);
  const beat = rows.map((row) => row.finishedAt).join();
  useEffect(() => {
    setSeries((old) => rows.reduce(addSample, old));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what the rows brought is told by when they ended
  }, [beat]);

  const saveSeries = () => downloadCsv('real-time', seriesSheet({ items: rows, series, nameOf, t, locale }));

  const { rounds } = useRepeat({
    taskId: url.task,
    isOn: isRepeating && url.task !== undefined,
    everySeconds: every,
    hasEnded,
    onStop: (why) => {
      setRepeating(false);
      setStopped(why);
    },
    onFailure: (text) => {
      setRepeating(false);
      void message.error(text, 0);
    },
  });

  const start = async () => {
    if (checked.size === 0 || groups.length === 0) return setProblem(t('selectData'));
    setBusy(true);
    setProblem(undefined);
    setStopped(undefined);
    try {
      const meterIds = metersIn(checked) > MAX_METERS_AT_ONCE ? undefined : await meterIdsUnder([...checked.values()], MAX_METERS_AT_ONCE);
      if (meterIds === undefined || meterIds.length > MAX_METERS_AT_ONCE) return setProblem(t('tooMany'));
      if (meterIds.length === 0) return setProblem(t('noSn'));
      const answer = await call(realTime.order, { body: { meterIds, groups, store: keep } });
      if (!answer.ok) return setProblem(answer.error.message);
      setSeries(NOTHING);
      return setUrl({ task: answer.data.taskId, sel: undefined, targets: undefined });
    } catch (error) {
      return setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };

  const again = async () => {
    if (url.task === undefined) return;
    setStopped(undefined);
    const answer = await call(realTime.repeat, { params: { id: url.task } });
    if (answer.ok) void items.refetch();
    else void message.error(answer.error.message, 0);
  };

  const waiting = rows.filter((row) => row.state === 'waiting').length;
  const selected = rows.find((row) => row.id === url.sel);
  return (
    <div className={styles['page']} data-pane={selected ? 'open' : undefined}>
      <DeviceTargets className={styles['order']} checked={checked} onCheck={setChecked}>
        <section className={styles['section']}>
          <h3>{t('what')}</h3>
          <Checkbox.Group
            className={styles['groups'] ?? ''}
            value={groups}
            options={realTimeGroup.options.map((value) => ({ value, label: t(value) }))}
            onChange={(values) => setGroups(values)}
          />
        </section>
        <section className={styles['section']}>
          <div className={styles['repeat']}>
            <Switch
              size="small"
              aria-label={t('repeat')}
              checked={isRepeating}
              onChange={(on) => {
                setRepeating(on);
                setStopped(undefined);
              }}
            />
            <span>{t('repeat')}</span>
            <InputNumber
              className={styles['every'] ?? ''}
              size="small"
              min={MIN_REPEAT_S}
              max={MAX_REPEAT_S}
              suffix="s"
              aria-label={t('every')}
              value={every}
              onChange={(value) => setEvery(value ?? DEFAULT_EVERY_S)}
            />
          </div>
          <Checkbox checked={keep} onChange={(event) => setKeep(event.target.checked)}>
            {t('keep')}
          </Checkbox>
        </section>
        {problem ? <Alert type="error" showIcon title={problem} role="alert" className={styles['problem'] ?? ''} /> : null}
        <Button
          block
          type="primary"
          className={styles['start'] ?? ''}
          icon={<Play size={14} aria-hidden="true" />}
          loading={busy}
          onClick={() => void start()}
        >
          {t('start')}
        </Button>
      </DeviceTargets>
      {url.task === undefined ? (
        <Panel className={styles['none']} title={t('title')}>
          <Empty kind="choose" text={t('nothing')} hint={t('nothingHint')} />
        </Panel>
      ) : (
        <div className={styles['main']}>
          <header className={styles['head']}>
            <h1>{t('title')}</h1>
            <span data-testid="rounds" data-value={rounds}>
              {t('round', { count: rounds })}
              {isRepeating ? ` · ${t('running', { seconds: every })}` : ''}
              {waiting > 0 ? ` · ${t('queue', { count: waiting })}` : ''}
            </span>
            {stopped ? <span role="status">{t(stopped)}</span> : null}
            <span className={styles['space']} />
            <Button icon={<Download size={14} aria-hidden="true" />} disabled={series.size === 0} onClick={saveSeries}>
              {t('series')}
            </Button>
            {isRepeating ? (
              <Button danger icon={<Square size={13} aria-hidden="true" />} onClick={() => setRepeating(false)}>
                {t('stop')}
              </Button>
            ) : (
              <Button icon={<RotateCw size={14} aria-hidden="true" />} disabled={!hasEnded} onClick={() => void again()}>
                {t('again')}
              </Button>
            )}
          </header>
          {rows.length === 0 ? <Skeleton lines={8} /> : null}
          <div className={styles['cards']}>
            {rows.map((row) => (
              <MeterCard
                key={row.id}
                item={row}
                series={series.get(row.meterId ?? '') ?? []}
                isSelected={row.id === url.sel}
                onSelect={() => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
              />
            ))}
          </div>
        </div>
      )}
      {selected ? (
        <Panel className={styles['frames']} title={t('trace')}>
          <Frames traceId={selected.traceId} />
        </Panel>
      ) : null}
    </div>
  );
}

export default function RealTimeReadingPage() {
  const [url] = useUrl(PAGE_WORDS.realTimeReading);
  const keys = url.targets?.split(',') ?? [];
  const prefilled = useQuery({ queryKey: ['targets', url.targets], queryFn: () => nodesOfKeys(keys), enabled: keys.length > 0 });
  if (keys.length > 0 && prefilled.data === undefined) return <Skeleton lines={8} />;
  return <Workplace prefilled={prefilled.data ?? []} />;
}
