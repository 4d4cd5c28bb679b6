import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '@hes/contract/audit/actions.ts';
import { DatePicker, Select } from 'antd';
import dayjs from 'dayjs';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter } from '#shared/table/url-state.ts';
import { addDays, daysBetween, startOfDay } from '#shared/time/format.ts';
import { texts } from './texts.ts';
import styles from './audit.module.css';

export const FILTERS = {
  username: undefined,
  action: undefined,
  entity: undefined,
  entityId: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
};
export type Url = Record<keyof typeof FILTERS, string | undefined>;

const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;

export const isTooLong = ({ from, to }: Url): boolean => from !== undefined && to !== undefined && daysBetween(from, to) >= MAX_DAYS;

/** The query of the list and its export: whole days in the utility's zone. */
export const queryOf = ({ username, action, entity, entityId, from, to, before }: Url) => ({
  username,
  action,
  entity,
  entityId,
  before,
  ...(from && to ? { from: startOfDay(from), to: startOfDay(addDays(to, 1)) } : {}),
});

export function Filters({ url, onChange }: { url: Url; onChange: (change: Partial<Url>) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const optionsOf = (table: Record<string, { en: string; zh: string }>) =>
    Object.entries(table).map(([value, text]) => ({ value, label: say(text) }));
  return (
    <>
      <TextFilter label={t('username')} value={url.username} onChange={(username) => onChange(refilter({ username }))} width={170} />
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        className={styles['select'] ?? ''}
        placeholder={t('action')}
        aria-label={t('action')}
        value={url.action}
        options={optionsOf(AUDIT_ACTION_TEXT)}
        onChange={(action) => onChange(refilter({ action }))}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('entity')}
        aria-label={t('entity')}
        value={url.entity}
        options={optionsOf(AUDIT_ENTITY_TEXT)}
        onChange={(entity) => onChange(refilter({ entity }))}
      />
      <TextFilter label={t('entityId')} value={url.entityId} onChange={(entityId) => onChange(refilter({ entityId }))} width={150} />
      <DatePicker.RangePicker
        aria-label={t('range')}
        value={url.from && url.to ? [dayjs(url.from), dayjs(url.to)] : null}
        {...(isTooLong(url) ? { status: 'error' as const } : {})}
        onChange={(dates) => {
          const [from, to] = dates ?? [];
          onChange(refilter({ from: from?.format(FORMAT), to: to?.format(FORMAT) }));
        }}
      />
      {isTooLong(url) ? (
        <span className={styles['error']} role="alert">
          {t('rangeTooLong')}
        </span>
      ) : null}
    </>
  );
}
