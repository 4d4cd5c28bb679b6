import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { localDay, serverNow } from '#core/time/format.ts';
import { refilter } from '#core/url/write-url.ts';
import { useUrl } from '#core/url/use-url.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { anomalyList } from './anomaly-list.tsx';
import { useBillFrame } from './bill-frame.tsx';
import { ByMeter } from './by-meter.tsx';
import { ByTransformer } from './by-transformer.tsx';
import { texts } from './messages.ts';
import { isTooLong, periodOf } from './period.ts';
import { TrendTab } from './trend.tsx';
import styles from './bill.module.css';

/** Filters of a tab; another tab starts without them. */
const OF_TAB = {
  page: undefined,
  sort: undefined,
  sel: undefined,
  search: undefined,
  status: undefined,
  anomaly: undefined,
  class: undefined,
  decision: undefined,
};
const DEFAULTS = { tab: 'meters' } as const;

export default function ElectricBillPage() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.bills, DEFAULTS);
  const period = periodOf(url, localDay(serverNow()));
  const frame = useBillFrame({
    tab: url.tab,
    period,
    onTab: (next) => setUrl({ ...OF_TAB, tab: next }),
    onPeriod: ({ kind, from, to }) => setUrl({ kind, from, to, page: undefined, sel: undefined }),
  });
  const body = {
    meters: () => <ByMeter {...frame} />,
    balance: () => <ByTransformer {...frame} />,
    trend: () => <TrendTab {...frame} period={period} />,
    anomalies: () => <ListScreen list={anomalyList} head={() => frame.head} before={() => frame.bar} />,
  };
  return (
    <div className={styles['page']}>
      <Panel className={styles['tree']} title={t('network')}>
        <NodeTree
          until="dcu"
          selected={url.node}
          onSelect={({ key }) => setUrl(refilter({ node: key === url.node ? undefined : key, sel: undefined }))}
        />
      </Panel>
      {body[isTooLong(period) ? 'trend' : url.tab]()}
    </div>
  );
}
