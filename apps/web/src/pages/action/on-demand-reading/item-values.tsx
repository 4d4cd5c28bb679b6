import { reading } from '@hes/contract/reading/reading.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { useItemName } from '#domain/read-values/item-names.ts';
import { Value } from './result-columns.tsx';
import { texts } from './texts.ts';
import styles from './on-demand.module.css';

interface Stored {
  value: ReadValue['value'];
  unit: string;
  at: string | null;
}

/** `stored`: the value in the database, when it is from another reading. */
function ValueRow({ value, stored }: { value: ReadValue; stored: Stored | undefined }) {
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
      {stored ? (
        <small className={styles['storedValue']}>
          {t('storedValue', { at: stored.at ? dateTime(stored.at) : '—' })}{' '}
          <Value value={{ ...value, value: stored.value, unit: stored.unit }} />
        </small>
      ) : null}
    </li>
  );
}

/** The result of one meter: its values, or the number of stored rows. */
export function ItemValues({ item }: { item: TaskItemRow }) {
  const t = useMessages(texts);
  const values = item.result?.values ?? [];
  const known = useApiQuery(reading.latest, {
    params: { meterId: item.meterId ?? '0' },
    enabled: item.meterId !== null && values.length > 0,
  });
  const storedOf = (key: string) => known.data?.items.find((entry) => entry.item === key && entry.traceId !== item.traceId);
  return (
    <>
      {values.length > 0 ? (
        <ul className={styles['values']} aria-label={t('values')}>
          {values.map((value) => (
            <ValueRow key={value.item} value={value} stored={storedOf(value.item)} />
          ))}
        </ul>
      ) : null}
      {item.result?.rows === undefined ? null : (
        <p className={styles['stored']}>
          {t('rowsGot', { count: item.result.rows })} · <Link to={to.readings({ node: `meter:${item.meterId}` })}>{t('openReadings')}</Link>
        </p>
      )}
    </>
  );
}
