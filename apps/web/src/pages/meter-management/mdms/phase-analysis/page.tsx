import { DatePicker, Tabs } from 'antd';
import dayjs from 'dayjs';
import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { refilter } from '#core/url/write-url.ts';
import { addDays, daysBetween, localDay, serverNow } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { rangeOf, transformerOf, usePhaseUrl, WEEK } from './address.ts';
import { AnomaliesTab } from './anomalies-tab.tsx';
import { BalanceTab } from './balance-tab.tsx';
import { IdentificationTab } from './identification-tab.tsx';
import { texts } from './messages.ts';
import { WhatIfTab } from './what-if-tab.tsx';
import styles from './phase.module.css';

const TABS = ['balance', 'identification', 'whatIf', 'anomalies'] as const;
const BODY = { balance: BalanceTab, identification: IdentificationTab, whatIf: WhatIfTab, anomalies: AnomaliesTab };
const FORMAT = 'YYYY-MM-DD';

export default function PhaseAnalysis() {
  const t = useMessages(texts);
  const [url, setUrl] = usePhaseUrl();
  const today = localDay(serverNow());
  const { tab } = url;
  const range = rangeOf(url);
  const tooLong = daysBetween(range.from, range.to) > MAX_RANGE_DAYS;
  const Body = BODY[tab];
  const transformerId = transformerOf(url);
  const preset = (label: string, days: number) => ({
    label,
    value: [dayjs(addDays(today, 1 - days)), dayjs(today)] as [dayjs.Dayjs, dayjs.Dayjs], // the picker wants a pair
  });
  return (
    <div className={styles['page']}>
      <Panel title={t('nodes')} className={styles['tree']}>
        <NodeTree
          until="transformer"
          opens="transformer"
          selected={url.node}
          onSelect={(node) => {
            if (node.kind === 'transformer') setUrl(refilter({ node: node.key, sel: undefined }));
          }}
        />
      </Panel>
      <Panel flush label={t('title')} className={styles['main']}>
        <div className={styles['head']}>
          <Tabs
            className={styles['tabs'] ?? ''}
            aria-label={t('tabs')}
            activeKey={tab}
            items={TABS.map((key) => ({ key, label: t(key) }))}
            // as: keys of the items above
            onChange={(next) => setUrl(refilter({ tab: next as typeof tab, sel: undefined, search: undefined, sort: undefined }))}
          />
          {tab === 'identification' ? null : (
            <span className={styles['range']}>
              {tooLong ? (
                <span className={styles['error']} role="alert">
                  {t('rangeTooLong')}
                </span>
              ) : (
                <span className={styles['note']}>{t('limit')}</span>
              )}
              <DatePicker.RangePicker
                allowClear={false}
                aria-label={t('range')}
                value={[dayjs(range.from), dayjs(range.to)]}
                {...(tooLong ? { status: 'error' as const } : {})}
                presets={[preset(t('last7'), WEEK), preset(t('last31'), MAX_RANGE_DAYS)]}
                onChange={(dates) => {
                  const [first, last] = dates ?? [];
                  if (first && last) setUrl(refilter({ from: first.format(FORMAT), to: last.format(FORMAT), day: undefined }));
                }}
              />
            </span>
          )}
        </div>
        {transformerId === undefined ? (
          <Empty kind="choose" text={t('selectTransformer')} hint={t('selectTransformerHint')} />
        ) : tooLong && tab !== 'identification' ? (
          <Empty text={t('rangeTooLong')} />
        ) : (
          <Body key={transformerId} transformerId={transformerId} range={range} url={url} setUrl={setUrl} />
        )}
      </Panel>
    </div>
  );
}
