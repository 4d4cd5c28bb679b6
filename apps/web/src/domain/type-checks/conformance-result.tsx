import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { type ReadValue } from '@hes/contract/orders/results.ts';
import { isOver, task as tasks } from '@hes/contract/task/task.ts';
import { Progress } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Empty, Failure } from '#kit/basics/states.tsx';
import { hasEnded } from '#domain/live-run/run-counts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { PAGES } from '#core/url/pages.ts';
import { texts } from './messages.ts';
import { lacking, PAGE_NEEDS } from './page-needs.ts';
import styles from './type-checks.module.css';

/** Fallback poll for missed live messages. */
const POLL_MS = 1500;

const signOf = (value: ReadValue): Sign => ({
  ...(value.reasonCode === null ? ITEM.read_success : ITEM.read_fail),
  text:
    value.reasonCode === null
      ? texts.present
      : value.reasonCode === 'OBJECT_UNDEFINED'
        ? texts.absent
        : REASONS[value.reasonCode as ReasonCode], // as: only reasons are written
});

/** The result of a conformance check, object by object, and the pages that will work with the device. */
export function ConformanceResult({ taskId }: { taskId: string }) {
  const t = useMessages(texts);
  const say = useSay();
  useTopic(`task:${taskId}`);
  const run = useApiQuery(tasks.get, { params: { id: taskId }, refetchMs: (row) => (row && hasEnded(row) ? false : POLL_MS) });
  const items = useApiQuery(tasks.items, { params: { id: taskId }, refetchMs: (page) => (page?.items.every(isOver) ? false : POLL_MS) });
  const [item] = items.data?.items ?? [];
  const isRead = item !== undefined && isOver(item);
  const lines = item?.result?.values ?? [];
  const total = Array.isArray(run.data?.params['objects']) ? run.data.params['objects'].length : 0;
  const present = new Set(lines.filter((line) => line.reasonCode === null).map((line) => line.item));
  const sn = item?.dcuSn ?? '';
  const columns: Column<ReadValue>[] = [
    { key: 'item', title: t('object'), width: 170, mono: true, cell: (row) => row.item },
    { key: 'obis', title: 'OBIS', width: 150, mono: true, cell: (row) => row.obis },
    { key: 'result', title: t('result'), width: 210, cell: (row) => <StateOf sign={signOf(row)} /> },
    { key: 'value', title: t('value'), mono: true, cell: (row) => <span title={String(row.value ?? '')}>{row.value ?? '—'}</span> },
  ];
  if (item?.state === 'read_fail' && item.reasonCode) return <Failure error={new Error(say(REASONS[item.reasonCode as ReasonCode]))} />; // as: only reasons are written
  return (
    <>
      <div className={styles['progress']} role="status">
        <span>
          {isRead || (total > 0 && lines.length === total)
            ? t('finished', { sn, ok: present.size, total })
            : t('running', { sn, done: lines.length, total })}
        </span>
        <Progress percent={total === 0 ? 0 : Math.round((lines.length / total) * 100)} showInfo={false} size="small" />
      </div>
      <div className={styles['lines']}>
        <DataTable
          label={t('checked')}
          columns={columns}
          rows={lines}
          rowKey={(row) => row.item}
          empty={<Empty small text={t('loading')} />}
        />
      </div>
      {isRead ? (
        <section className={styles['pages']} aria-label={t('pagesWork')}>
          <h3>{t('pagesWork')}</h3>
          <ul>
            {(Object.keys(PAGE_NEEDS) as (keyof typeof PAGE_NEEDS)[]).map((page) => {
              // as: keys of that very table
              const keys = lacking(page, present);
              return (
                <li key={page}>
                  <span>{say(PAGES[page].title)}</span>
                  <StateOf
                    sign={{
                      ...(keys.length === 0 ? ITEM.read_success : ITEM.read_fail),
                      text: keys.length === 0 ? texts.works : texts.missing,
                    }}
                  />
                  <span className="mono">{keys.join(' ')}</span>
                </li>
              );
            })}
          </ul>
        </section>
      ) : null}
    </>
  );
}
