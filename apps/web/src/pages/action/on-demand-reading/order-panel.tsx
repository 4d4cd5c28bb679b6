import { pick } from '@hes/contract/core/text.ts';
import { MAX_METERS_PER_ORDER, onDemandKind } from '@hes/contract/action/read.ts';
import { readSource } from '@hes/contract/reading/reading.ts';
import { isCachedType } from '@hes/contract/states/plan.ts';
import type { UnsupportedRow } from '@hes/contract/asset/meter-type.ts';
import { Alert, Button, Checkbox, DatePicker, Select, Tooltip } from 'antd';
import dayjs from 'dayjs';
import { Play, X } from 'lucide-react';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime, daysBetween } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { PasteSns } from '#domain/targets/paste-sns.tsx';
import { texts } from './texts.ts';
import type { useOrder } from './use-order.ts';
import styles from './on-demand.module.css';

type Order = ReturnType<typeof useOrder>;
const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;
/** The priorities of the queue that users may choose. */
const PRIORITIES = [3, 5, 9] as const;

function Items({ order }: { order: Order }) {
  const t = useMessages(texts);
  const called = useModelName();
  const locale = usePreferences((state) => state.locale);
  const { catalogue, draft } = order;
  const nameOf = (key: string) => {
    const item = catalogue.find((known) => known.key === key);
    return item ? pick({ en: item.nameEn, zh: item.nameZh }, locale) : key;
  };
  const evidence = ({ meterTypeName, meters, lastAt }: UnsupportedRow) =>
    t('unsupportedBy', { type: called(meterTypeName), count: meters, at: dateTime(lastAt).slice(0, 16) });
  const evidenceOf = (key: string) => (order.unsupported.get(key) ?? []).map(evidence).join(' ');
  const lacking = draft.items.filter((key) => order.unsupported.has(key));
  const rest = catalogue.filter((item) => !draft.items.includes(item.key));
  return (
    <section className={styles['items']}>
      <h3>
        {t('items')} <span>{t('itemsOf', { count: draft.items.length, total: catalogue.length })}</span>
      </h3>
      <ul>
        {draft.items.map((key) => (
          <li key={key}>
            <span className="mono">{catalogue.find((item) => item.key === key)?.obis}</span>
            <b>{nameOf(key)}</b>
            {order.unsupported.has(key) ? (
              <Tooltip title={evidenceOf(key)}>
                <span role="img" aria-label={`${t('unsupported')}: ${evidenceOf(key)}`} className={styles['lacking'] ?? ''}>
                  <Glyph shape="unlink" tone="amber" size={14} />
                </span>
              </Tooltip>
            ) : null}
            <button
              type="button"
              aria-label={t('removeItem', { name: nameOf(key) })}
              onClick={() => order.change({ items: draft.items.filter((known) => known !== key) })}
            >
              <X size={13} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <Select
        showSearch={{ optionFilterProp: 'label' }}
        value={null}
        placeholder={t('addItem')}
        aria-label={t('addItem')}
        options={rest.map((item) => ({ value: item.key, label: `${pick({ en: item.nameEn, zh: item.nameZh }, locale)} · ${item.obis}` }))}
        onSelect={(key: string | null) => key && order.change({ items: [...draft.items, key] })}
      />
      {lacking.length > 0 ? (
        <Checkbox checked={draft.includeUnsupported} onChange={(event) => order.change({ includeUnsupported: event.target.checked })}>
          {t('askAnyway', { count: lacking.length })}
        </Checkbox>
      ) : null}
    </section>
  );
}

function Range({ order }: { order: Order }) {
  const t = useMessages(texts);
  const { from, to } = order.draft;
  const tooLong = daysBetween(from, to) > MAX_DAYS;
  return (
    <section className={styles['items']}>
      <h3>{t('range')}</h3>
      <DatePicker.RangePicker
        allowClear={false}
        aria-label={t('range')}
        value={[dayjs(from), dayjs(to)]}
        {...(tooLong ? { status: 'error' as const } : {})}
        onChange={(dates) => {
          const [first, last] = dates ?? [];
          if (first && last) order.change({ from: first.format(FORMAT), to: last.format(FORMAT) });
        }}
      />
      {tooLong ? (
        <p className={styles['error']} role="alert">
          {t('rangeTooLong')}
        </p>
      ) : null}
    </section>
  );
}

/** Devices and items of a reading. */
export function OrderPanel({ order }: { order: Order }) {
  const t = useMessages(texts);
  const { draft, meters, change } = order;
  const tooLong = draft.kind !== 'registers' && daysBetween(draft.from, draft.to) > MAX_DAYS;
  const isTooMany = meters > MAX_METERS_PER_ORDER;
  const problem = isTooMany ? t('tooMany') : order.problem;
  return (
    <Panel
      className={styles['order']}
      title={t('target')}
      note={<span data-value={meters}>{t('chosen', { count: meters })}</span>}
      extra={
        <>
          {meters > 0 ? (
            <Button size="small" type="link" onClick={() => change({ checked: new Map() })}>
              {t('clear')}
            </Button>
          ) : null}
          <PasteSns
            onAdd={(nodes) => change({ checked: new Map([...draft.checked, ...nodes.map((node) => [node.key, node] as const)]) })}
          />
        </>
      }
    >
      <NodeTree checked={draft.checked} onCheck={(checked) => change({ checked })} />
      <section className={styles['items']}>
        <h3 id="order-kind">{t('kind')}</h3>
        <Select
          aria-label={t('kind')}
          value={draft.kind}
          options={onDemandKind.options.map((value) => ({ value, label: t(value) }))}
          onChange={(kind) => change({ kind })}
        />
      </section>
      {draft.kind === 'registers' ? <Items order={order} /> : <Range order={order} />}
      <section className={styles['how']}>
        {isCachedType(draft.kind) ? (
          <Select
            aria-label={t('source')}
            value={draft.source}
            options={readSource.options.map((value) => ({ value, label: t(`from_${value}`) }))}
            onChange={(source) => change({ source })}
          />
        ) : null}
        <Select
          aria-label={t('priority')}
          value={draft.priority}
          options={PRIORITIES.map((value) => ({ value, label: t(`priority_${value}`) }))}
          onChange={(priority) => change({ priority })}
        />
      </section>
      <Checkbox className={styles['store'] ?? ''} checked={draft.store} onChange={(event) => change({ store: event.target.checked })}>
        {t('store')}
      </Checkbox>
      {problem ? <Alert type="error" showIcon title={problem} role="alert" /> : null}
      <Button
        block
        type="primary"
        icon={<Play size={14} aria-hidden="true" />}
        loading={order.busy}
        disabled={isTooMany || tooLong}
        onClick={() => void order.start({ selectData: t('selectData'), tooMany: t('tooMany') })}
      >
        {t('start')}
      </Button>
    </Panel>
  );
}
