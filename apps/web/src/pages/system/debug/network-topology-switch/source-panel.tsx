import { topology, type TopologyDiffAnswer, type TopologyPicture } from '@hes/contract/network/topology.ts';
import { App, Button, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { texts } from './messages.ts';
import styles from './switch.module.css';

/** The differences between a moment and the newest reading. */
const useDifference = (dcuId: string, from: string | undefined, to: string | null | undefined) =>
  useApiQuery(topology.diff, { params: { dcuId }, query: { from: from ?? '', to: to ?? '' }, enabled: from !== undefined && Boolean(to) })
    .data;

/** Compares the archive, the last snapshot, the live answer of the DCU, and a chosen moment. */
export function SourcePanel({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [at, setAt] = useState<string>();
  // The newest reading at the time of the request: a newer one is the response.
  const [asked, setAsked] = useState<{ takenAt: string | null }>();
  const newest = useApiQuery(topology.get, { params: { dcuId }, enabled: may(topology.get) });
  const moments = useApiQuery(topology.moments, { params: { dcuId }, enabled: may(topology.moments) });
  const takenAt = newest.data?.takenAt;
  const isAnswered = asked !== undefined && takenAt !== asked.takenAt;
  const before = isAnswered ? (asked.takenAt ?? undefined) : undefined;
  const then = useApiQuery(topology.get, { params: { dcuId }, query: { at }, enabled: at !== undefined });
  const last = useApiQuery(topology.get, { params: { dcuId }, query: { at: before }, enabled: before !== undefined });
  const chosenDiff = useDifference(dcuId, at, takenAt);
  const liveDiff = useDifference(dcuId, before, takenAt);
  const archive = useApiQuery(topology.dcus, { query: { node: `dcu:${dcuId}`, size: 1 }, enabled: may(topology.dcus) });
  const refresh = useApiMutation(topology.refresh, {
    success: () => setAsked({ takenAt: takenAt ?? null }),
    failure: (error) => void message.error(error.message, 0),
  });
  const meters = archive.data?.items[0]?.meters;
  const stats = newest.data?.stats;
  const figuresOf = ({ level, success }: { level: number | null; success: number | null }) =>
    [level === null ? [] : `${t('meanLevel')} ${level}`, success === null ? [] : `${t('success')} ${success} %`].flat().join(' · ');
  const describeDiff = (diff: TopologyDiffAnswer | undefined) =>
    diff ? t('joinedLeftMoved', { joined: diff.joined.length, left: diff.left.length, moved: diff.moved.length }) : null;
  const of = (picture: TopologyPicture | undefined) => ({
    time: picture?.takenAt ?? null,
    stations: picture?.stats.online,
    level: picture?.stats.meanLevel ?? null,
    success: picture?.stats.successPct ?? null,
  });
  const columns = [
    {
      key: 'archive' as const,
      ...of(undefined),
      stations: meters,
      note: meters !== undefined && stats && takenAt ? t('archiveDiff', { missing: Math.max(0, meters - stats.online) }) : null,
    },
    {
      key: 'snapshot' as const,
      ...of(isAnswered ? last.data : newest.data),
      ...(takenAt === null ? { stations: undefined, note: t('notRead') } : { note: null }),
    },
    { key: 'live' as const, ...of(isAnswered ? newest.data : undefined), note: isAnswered ? describeDiff(liveDiff) : t('notReadLive') },
    { key: 'chosen' as const, ...of(at === undefined ? undefined : then.data), note: describeDiff(chosenDiff) },
  ];
  return (
    <Panel
      title={t('source')}
      extra={
        <>
          <Select
            allowClear
            size="small"
            className={styles['moment'] ?? ''}
            placeholder={t('chosen')}
            aria-label={t('chosen')}
            value={at ?? null}
            options={(moments.data?.items ?? []).toReversed().map(({ takenAt }) => ({ value: takenAt, label: dateTime(takenAt) }))}
            onChange={(value: string | null) => setAt(value ?? undefined)}
          />
          {may(topology.refresh) ? (
            <Button
              size="small"
              loading={refresh.isPending || Boolean(newest.data?.activeTaskId)}
              onClick={() => refresh.mutate({ params: { dcuId } })}
            >
              {t('live')}: {t('readLive')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className={styles['sources']}>
        {columns.map((column) => (
          <section key={column.key} aria-label={t(column.key)}>
            <h3>{t(column.key)}</h3>
            <b>{column.stations ?? '—'}</b>
            {column.time === null ? null : <p>{dateTime(column.time)}</p>}
            {column.level === null && column.success === null ? null : <p>{figuresOf(column)}</p>}
            {column.note === null ? null : <p>{column.note}</p>}
          </section>
        ))}
      </div>
    </Panel>
  );
}
