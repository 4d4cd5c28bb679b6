import type { ReadValue, TaskItemRow } from '@hes/contract/task/task.ts';
import { Link } from 'react-router';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { preciseTime } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty } from '#shared/ui/states.tsx';
import { CopyButton, Sn } from '#shared/ui/text.tsx';
import { Frames } from '#widgets/frames/frames.tsx';
import { MeterIcon } from '#widgets/node-tree/device-icons.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ITEM } from '#widgets/state-of/tables.ts';
import { reasonOf, Value } from './result-columns.tsx';
import { useItemName } from './results.tsx';
import { texts } from './texts.ts';
import styles from './on-demand.module.css';

function ValueRow({ value }: { value: ReadValue }) {
  const t = useMessages(texts);
  const nameOf = useItemName();
  const raw = value.raw === null ? undefined : t('rawValue', { raw: value.raw, scaler: String(value.scaler ?? 0) });
  return (
    <li title={raw} data-item={value.item}>
      <div>
        <span>{nameOf(value.item)}</span>
        <small className="mono">{value.obis}</small>
      </div>
      <b>
        <Value value={value} />
      </b>
    </li>
  );
}

/** One meter of the run: its values, and the exact bytes both ways. */
export function ItemPane({ item }: { item: TaskItemRow | undefined }) {
  const t = useMessages(texts);
  const say = useSay();
  if (!item)
    return (
      <Panel label={t('selected')} className={styles['pane']}>
        <Empty text={t('pickOne')} />
      </Panel>
    );
  const values = item.result?.values ?? [];
  const reason = item.state === 'read_fail' ? reasonOf(item, say) : null;
  return (
    <Panel flush label={t('selected')} className={styles['pane']}>
      <header className={styles['paneHead']}>
        <span className={styles['badge']}>
          <MeterIcon size={20} aria-hidden="true" />
        </span>
        <div>
          <h2>
            <Sn sn={item.meterSn ?? item.dcuSn} />
            <CopyButton text={item.meterSn ?? item.dcuSn} />
          </h2>
          <p>{[item.transformerName, item.dcuSn].filter(Boolean).join(' · ')}</p>
        </div>
        <p className={styles['paneState']}>
          <StateOf sign={ITEM[item.state]} />
          {item.finishedAt ? <span>{preciseTime(item.finishedAt)}</span> : null}
          {item.latencyMs === null ? null : <span>{figure(item.latencyMs / 1000, 2)} s</span>}
        </p>
      </header>
      <div className={styles['paneBody']}>
        {reason ? (
          <p className={styles['paneReason']} data-reason={item.reasonCode}>
            {reason}
          </p>
        ) : null}
        {values.length > 0 ? (
          <ul className={styles['values']} aria-label={t('values')}>
            {values.map((value) => (
              <ValueRow key={value.item} value={value} />
            ))}
          </ul>
        ) : null}
        {item.result?.rows === undefined ? null : (
          <p className={styles['stored']}>
            {t('rowsGot', { count: item.result.rows })} ·{' '}
            <Link to={`/meter/auto-meter-reading?node=meter:${item.meterId}`}>{t('openReadings')}</Link>
          </p>
        )}
        <h3 className={styles['section']}>{t('trace')}</h3>
        <Frames traceId={item.traceId} />
      </div>
    </Panel>
  );
}
