import type { balance } from '@hes/contract/analysis/balance.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { startOfDay } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Figures, Num } from '#kit/basics/text.tsx';
import { LineChart } from '#kit/chart/line-chart.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { balanceList, Loss, Split, useBalance } from './balance-list.tsx';
import type { BillFrame } from './bill-frame.tsx';
import { texts } from './messages.ts';
import { courseOf } from './period.ts';
import { usePeriod } from './period-filter.ts';
import styles from './bill.module.css';

/** The balance of all listed transformers, its course, and the greatest losses. */
function Total({ list }: { list: ListState<typeof balance.list> }) {
  const t = useMessages(texts);
  const period = usePeriod();
  const { data } = useBalance(list.filterOfCounts);
  const course = useBalance({ ...list.filterOfCounts, from: courseOf(period) });
  useOneMoment(list.query, course);
  if (data === undefined || data.supply <= 0) return null;
  const days = course.data?.days ?? [];
  const lossPercent = data.loss === null ? null : (100 * data.loss) / data.supply;
  return (
    <Panel flush className={styles['bar']}>
      <div className={styles['balance']}>
        <div>
          <Figures
            items={[
              { label: t('supply'), value: <Num value={data.supply} decimals={1} unit="kWh" /> },
              { label: t('sold'), value: <Num value={data.sold} decimals={1} unit="kWh" /> },
              { label: t('missing'), value: <Num value={data.missing} decimals={1} unit="kWh" /> },
              { label: t('loss'), value: <Num value={data.loss} decimals={1} unit="kWh" /> },
              { label: t('lossPercent'), value: <Num value={lossPercent} decimals={2} unit="%" /> },
            ]}
          />
          <Split row={data} />
          {days.length > 1 ? (
            <div className={styles['lossChart']}>
              <LineChart
                label={t('lossByDay')}
                name="loss"
                days
                times={days.map(({ day }) => Date.parse(startOfDay(day)) / 1000)}
                unit="%"
                decimals={2}
                timeLabel={t('time')}
                series={[{ label: t('lossPercent'), colour: 'violet', values: days.map((day) => day.lossPercent), fill: true }]}
              />
            </div>
          ) : null}
        </div>
        <section aria-label={t('worst')}>
          <h3>{t('worst')}</h3>
          <ol className={styles['worst']}>
            {data.worst.map((row) => (
              <li key={row.transformerId}>
                <button type="button" onClick={() => list.filterBy({ search: row.name })}>
                  <span>{row.name}</span>
                  <Loss of={row.class} />
                  <Num value={row.lossPercent} decimals={2} unit="%" strong />
                </button>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </Panel>
  );
}

/** Supplied, sold and lost energy by transformer. */
export const ByTransformer = ({ head, bar }: BillFrame) => (
  <ListScreen
    list={balanceList}
    head={() => head}
    before={(list) => (
      <>
        {bar}
        <Total list={list} />
      </>
    )}
  />
);
