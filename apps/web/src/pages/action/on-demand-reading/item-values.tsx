import type { ReadValue, TaskItemRow } from '@hes/contract/task/task.ts';
import { Link } from 'react-router';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useItemName, Value } from './result-columns.tsx';
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

/** What one meter gave: its values, or how many rows were stored. */
export function ItemValues({ item }: { item: TaskItemRow }) {
  const t = useMessages(texts);
  const values = item.result?.values ?? [];
  return (
    <>
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
    </>
  );
}
