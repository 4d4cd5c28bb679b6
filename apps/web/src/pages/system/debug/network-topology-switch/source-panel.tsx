import { topology } from '@hes/contract/network/topology.ts';
import { App, Button, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { dateTime } from '#shared/time/format.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { texts } from './messages.ts';
import styles from './switch.module.css';

/** What our archive, the last snapshot, a chosen moment and the DCU itself say, side by side. */
export function SourcePanel({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [at, setAt] = useState<string>();
  const last = useApiQuery(topology.get, { params: { dcuId }, enabled: may(topology.get) });
  const moments = useApiQuery(topology.moments, { params: { dcuId }, enabled: may(topology.moments) });
  const then = useApiQuery(topology.get, { params: { dcuId }, query: { at }, enabled: at !== undefined });
  const diff = useApiQuery(topology.diff, {
    params: { dcuId },
    query: { from: at ?? '', to: last.data?.takenAt ?? '' },
    enabled: at !== undefined && Boolean(last.data?.takenAt),
  });
  const archive = useApiQuery(topology.dcus, { query: { node: `dcu:${dcuId}`, size: 1 }, enabled: may(topology.dcus) });
  const refresh = useApiMutation(topology.refresh, { failure: (error) => void message.error(error.message, 0) });
  const stats = last.data?.stats;
  const meters = archive.data?.items[0]?.meters;
  const columns = [
    {
      key: 'archive' as const,
      time: null,
      stations: meters,
      level: null,
      success: null,
      note: meters !== undefined && stats ? t('archiveDiff', { missing: Math.max(0, meters - stats.online) }) : null,
    },
    {
      key: 'snapshot' as const,
      time: last.data?.takenAt ?? null,
      stations: stats?.online,
      level: stats?.meanLevel ?? null,
      success: stats?.successPct ?? null,
      note: null,
    },
    {
      key: 'chosen' as const,
      time: at === undefined ? null : (then.data?.takenAt ?? null),
      stations: at === undefined ? undefined : then.data?.stats.online,
      level: at === undefined ? null : (then.data?.stats.meanLevel ?? null),
      success: at === undefined ? null : (then.data?.stats.successPct ?? null),
      note: diff.data
        ? t('joinedLeftMoved', { joined: diff.data.joined.length, left: diff.data.left.length, moved: diff.data.moved.length })
        : null,
    },
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
              loading={refresh.isPending || Boolean(last.data?.activeTaskId)}
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
            <p>{column.time === null ? '—' : dateTime(column.time)}</p>
            <p>{`${t('meanLevel')} ${column.level ?? '—'} · ${t('success')} ${column.success === null ? '—' : `${column.success} %`}`}</p>
            {column.note === null ? null : <p>{column.note}</p>}
          </section>
        ))}
      </div>
    </Panel>
  );
}
