import { pick } from '@hes/contract/core/text.ts';
import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { obis as routes, type ObisRow } from '@hes/contract/reading/obis.ts';
import { isOver, task, type TaskItemRow } from '@hes/contract/task/task.ts';
import { trace } from '@hes/contract/trace/trace.ts';
import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Drawer, Select } from 'antd';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { Skeleton } from '#kit/basics/states.tsx';
import { Properties } from '#kit/basics/text.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import { meaningOf } from './meaning.ts';
import { texts } from './messages.ts';
import styles from './obis.module.css';

const LOOK_MS = 500;
const WIDTH = 760;

/** Reads one object of one meter: its value, its raw number, and the frames. */
export function TestRead({ rows: [row], onClose }: DialogProps<ObisRow>) {
  return row === undefined ? null : <TestDrawer row={row} onClose={onClose} />;
}

function TestDrawer({ row, onClose }: { row: ObisRow; onClose: () => void }) {
  const t = useMessages(texts);
  const locale = usePreferences((state) => state.locale);
  const [search, setSearch] = useState('');
  const [meterId, setMeterId] = useState<string>();
  const meters = useApiQuery(routes.meters, { query: { search }, keep: true });
  const order = useApiMutation(routes.test);
  const taskId = order.data?.taskId;
  const items = useApiQuery(task.items, {
    params: { id: taskId ?? '0' },
    enabled: taskId !== undefined,
    refetchMs: (page) => (page?.items.every(isOver) ? false : LOOK_MS),
  });
  const item = taskId === undefined ? undefined : items.data?.items[0];
  const hasEnded = item !== undefined && isOver(item);
  return (
    <Drawer open size={WIDTH} title={t('testOf', { name: pick({ en: row.nameEn, zh: row.nameZh }, locale) })} onClose={onClose}>
      <p className={styles['hint']}>
        <code className="mono">{`${row.obis} · ${row.classId}/${row.attribute}`}</code> {t('notStored')}
      </p>
      <div className={styles['order']}>
        <Select
          showSearch={{ filterOption: false, onSearch: setSearch }}
          aria-label={t('meter')}
          placeholder={t('chooseMeter')}
          loading={meters.isFetching}
          value={meterId}
          options={(meters.data?.items ?? []).map((meter) => ({
            value: meter.id,
            label: `${meter.sn} · ${meter.typeName} · ${meter.dcuSn}${meter.isOnline ? '' : ` · ${t('offline')}`}`,
          }))}
          onChange={setMeterId}
        />
        <Button
          type="primary"
          disabled={meterId === undefined}
          loading={order.isPending || (taskId !== undefined && !hasEnded)}
          onClick={() => meterId && order.mutate({ params: { id: row.id }, body: { meterId } })}
        >
          {t('read')}
        </Button>
      </div>
      {order.isError ? <Alert type="error" showIcon title={order.error.message} /> : null}
      {item ? <Result row={row} item={item} /> : null}
      {hasEnded && item.traceId ? (
        <div className={styles['frames']}>
          <StoredFrames traceId={item.traceId} />
        </div>
      ) : null}
    </Drawer>
  );
}

/** Frames are stored shortly after the value arrives: poll until they exist. */
function StoredFrames({ traceId }: { traceId: string }) {
  const isStored = useQuery({
    queryKey: [trace.get.path, traceId, 'stored'],
    queryFn: async () => (await call(trace.get, { params: { id: traceId } })).ok,
    refetchInterval: ({ state }) => (state.data === true ? false : LOOK_MS),
  });
  return isStored.data === true ? <Frames traceId={traceId} /> : <Skeleton lines={3} />;
}

function Result({ row, item }: { row: ObisRow; item: TaskItemRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const value = item.result?.values?.[0];
  const reason = item.reasonCode ?? value?.reasonCode;
  const why = reason ? say(REASONS[reason as ReasonCode]) : undefined; // as: codes of outcomes only
  return (
    <div className={styles['result']} role="status">
      <StateOf tag sign={ITEM[item.state]} />
      {why ? <span>{why}</span> : null}
      {value ? (
        <Properties
          items={[
            { label: t('value'), value: value.value === null ? null : <b data-value={value.value}>{`${value.value} ${value.unit}`}</b> },
            { label: t('raw'), value: value.raw === null ? null : <span className="mono">{value.raw}</span> },
            { label: t('scaler'), value: value.scaler === null ? null : String(value.scaler) },
            { label: t('meaning'), value: meaningOf(row, value) },
          ]}
        />
      ) : null}
    </div>
  );
}
