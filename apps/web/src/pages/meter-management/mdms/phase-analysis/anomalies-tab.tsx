import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { Segmented } from 'antd';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { refilter } from '#core/url/write-url.ts';
import { ListTab } from '#kit/list/list-tab.tsx';
import type { TabProps } from './address.ts';
import { energyList } from './energy-list.tsx';
import { factList } from './fact-list.tsx';
import { texts } from './messages.ts';

/** Anomalies in the phases and in the consumption of meters. */
export function AnomaliesTab({ url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const may = useMay();
  const kinds = may(anomaly.list) ? (['phase', 'energy'] as const) : (['phase'] as const);
  const kind = kinds.find((known) => known === url.kind) ?? 'phase';
  const head = () => (
    <div>
      <Segmented
        aria-label={t('anomalies')}
        value={kind}
        options={kinds.map((value) => ({ value, label: t(value === 'energy' ? 'energyAnomalies' : 'phaseFacts') }))}
        onChange={(next) => setUrl(refilter({ kind: next, search: undefined, sort: undefined }))}
      />
    </div>
  );
  return kind === 'energy' ? <ListTab list={energyList} head={head} /> : <ListTab list={factList} head={head} />;
}
