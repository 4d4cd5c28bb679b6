import { nameText } from '@hes/contract/core/text.ts';
import { to } from '@hes/contract/page/links.ts';
import { phase, type PhaseBalance } from '@hes/contract/analysis/phase.ts';
import { Segmented } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { LineChart } from '#kit/chart/line-chart.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { hourMinute } from '#core/time/format.ts';
import { grouped } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Figures } from '#kit/basics/text.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DayHeat } from './day-heat.tsx';
import { columnsOf, QUANTITIES, seriesOf, UNITS } from './balance-columns.tsx';
import { texts } from './messages.ts';
import type { TabProps } from './address.ts';
import { Shares } from './shares.tsx';
import { UNBALANCE } from './signs.ts';
import styles from './phase.module.css';

const POLL_MS = 60_000;

function Now({ data }: { data: PhaseBalance }) {
  const t = useMessages(texts);
  const say = useSay();
  const slot = data.slots.at(-1);
  const { lowV, highV } = data.limits;
  const three = (values: readonly (number | null)[], decimals: number, unit: string, bad?: (value: number) => boolean) => (
    <span className={styles['three']}>
      {values.map((value, at) => (
        <span key={'ABC'[at]} data-phase={'abc'[at]} data-bad={value !== null && bad?.(value) ? true : undefined}>
          <i />
          <Num value={value} decimals={decimals} />
        </span>
      ))}
      <small>{unit}</small>
    </span>
  );
  const mean = data.meanUnbalancePercent;
  const latest = slot ? t('latest', { at: hourMinute(slot.at) }) : undefined;
  return (
    <div className={styles['now']}>
      <Figures
        items={[
          {
            label: t('meanUnbalance'),
            value: (
              <span className={styles['mean']} data-class={data.class}>
                <Num value={mean} decimals={1} unit="%" strong />
                {data.class ? <StateOf sign={UNBALANCE[data.class]} tag /> : null}
              </span>
            ),
            note: t('ofRange'),
          },
          ...(slot
            ? [
                { label: t('current'), value: three(slot.current, 1, 'A'), note: latest },
                { label: t('neutral'), value: <Num value={slot.neutral} decimals={1} unit="A" />, note: latest },
                { label: t('voltage'), value: three(slot.voltage, 1, 'V', (volts) => volts < lowV || volts > highV), note: latest },
                { label: t('power'), value: three(slot.power, 1, 'kW'), note: latest },
              ]
            : []),
          {
            label: t('masterMeter'),
            value: data.masterMeterSn === null ? '—' : grouped(data.masterMeterSn),
            note: say(nameText(data.name)),
          },
        ]}
      />
    </div>
  );
}

export function BalanceTab({ transformerId, range, url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const { quantity } = url;
  const query = useApiQuery(phase.balance, {
    params: { transformerId },
    query: { ...range, day: url.day },
    keep: true,
    refetchMs: POLL_MS,
  });
  const columns = useMemo(() => columnsOf(t), [t]);
  const noMaster = (
    <Empty
      text={t('noMaster')}
      hint={t('noMasterHint')}
      action={<LinkButton to={to.transformers({ sel: transformerId })}>{t('toTransformers')}</LinkButton>}
    />
  );
  const noProfile = (
    <Empty text={t('noProfile')} hint={t('noProfileHint')} action={<LinkButton to={to.plans()}>{t('toPlans')}</LinkButton>} />
  );
  return (
    <PanelState query={query} lines={14} isEmpty={(data) => data.masterMeterId === null} empty={noMaster}>
      {(data) => (
        <div className={styles['balance']} aria-busy={query.isPlaceholderData}>
          <Now data={data} />
          <section className={styles['day']} aria-label={data.day}>
            <header>
              <h3>{data.day}</h3>
              <Segmented
                size="small"
                aria-label={t('quantity')}
                value={quantity}
                options={QUANTITIES.map((value) => ({ value, label: t(value) }))}
                onChange={(value) => setUrl({ quantity: value })}
              />
              <Segmented
                size="small"
                aria-label={t('view')}
                value={url.view}
                options={(['chart', 'table'] as const).map((value) => ({ value, label: t(value) }))}
                onChange={(view) => setUrl({ view })}
              />
            </header>
            <div className={styles['figure']}>
              {data.slots.length === 0 ? (
                noProfile
              ) : url.view === 'table' ? (
                <DataTable label={data.day} columns={columns} rows={data.slots} rowKey={(slot) => slot.at} density="compact" />
              ) : (
                <LineChart
                  label={`${t(quantity)} ${data.day}`}
                  timeLabel={t('time')}
                  times={data.slots.map((slot) => Date.parse(slot.at) / 1000)}
                  series={seriesOf(t, data, quantity)}
                  unit={UNITS[quantity].unit}
                  decimals={UNITS[quantity].decimals}
                  name={`${quantity}-${data.day}`}
                />
              )}
            </div>
          </section>
          <DayHeat data={data} onDay={(day) => setUrl({ day })} />
          <Shares shares={data.shares} />
        </div>
      )}
    </PanelState>
  );
}
