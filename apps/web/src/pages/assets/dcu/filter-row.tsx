import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { connectionType, dcuOnlineStatus } from '@hes/contract/states/device.ts';
import { signalStrength } from '@hes/contract/states/signal.ts';
import { Button, Select } from 'antd';
import type { ReactNode } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useModelName } from '#shared/i18n/model-name.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { FilterBar } from '#shared/table/list-page.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { NodeFilter } from '#widgets/node-tree/node-filter.tsx';
import { ONLINE } from '#widgets/state-of/tables.ts';
import { SignalBars } from '#widgets/topology/signal-bars.tsx';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

interface Filters {
  search: string | undefined;
  onlineStatus: string | undefined;
  connectionType: string | undefined;
  signal: string | undefined;
  type: string | undefined;
  supplier: string | undefined;
  node: NodeKey | undefined;
  nodeName: string | undefined;
}

const NO_FILTERS: Filters = {
  search: undefined,
  onlineStatus: undefined,
  connectionType: undefined,
  signal: undefined,
  type: undefined,
  supplier: undefined,
  node: undefined,
  nodeName: undefined,
};

interface FilterRowProps {
  values: Filters;
  onChange: (change: Partial<Filters>) => void;
  onRefresh: () => void;
  busy: boolean;
  tools: ReactNode;
}

export function FilterRow({ values, onChange, onRefresh, busy, tools }: FilterRowProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const options = useApiQuery(dcu.options);
  const filtered =
    values.search ?? values.onlineStatus ?? values.connectionType ?? values.signal ?? values.type ?? values.supplier ?? values.node;
  return (
    <FilterBar
      tools={
        <>
          {tools}
          <RefreshButton busy={busy} onRefresh={onRefresh} />
        </>
      }
    >
      <TextFilter label={t('searchHint')} value={values.search} width={270} onChange={(search) => onChange({ search })} />
      <NodeFilter node={values.node} nodeName={values.nodeName} until="transformer" onChange={onChange} />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('onlineStatus')}
        aria-label={t('onlineStatus')}
        value={values.onlineStatus}
        options={dcuOnlineStatus.options.map((value) => ({ value, label: say(ONLINE[value].text) }))}
        onChange={(value) => onChange({ onlineStatus: value })}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('connectionType')}
        aria-label={t('connectionType')}
        value={values.connectionType}
        options={connectionType.options.map((value) => ({ value, label: t(value) }))}
        onChange={(value) => onChange({ connectionType: value })}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('uplinkSignal')}
        aria-label={t('uplinkSignal')}
        value={values.signal}
        options={signalStrength.options.map((value) => ({ value, label: <SignalBars signal={value} /> }))}
        onChange={(value) => onChange({ signal: value })}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('filterType')}
        aria-label={t('filterType')}
        value={values.type}
        options={(options.data?.types ?? []).map((type) => ({ value: type.id, label: called(type.name) }))}
        onChange={(value) => onChange({ type: value })}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('supplier')}
        aria-label={t('supplier')}
        value={values.supplier}
        options={(options.data?.suppliers ?? []).map((supplier) => ({ value: supplier.id, label: called(supplier.name) }))}
        onChange={(value) => onChange({ supplier: value })}
      />
      {filtered ? (
        <Button type="link" onClick={() => onChange(NO_FILTERS)}>
          {t('clearFilters')}
        </Button>
      ) : null}
    </FilterBar>
  );
}
