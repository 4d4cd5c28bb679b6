import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { bill, type BillLine } from '@hes/contract/analysis/bill.ts';
import { BILL_FLAG_TEXT } from '@hes/contract/states/bill.ts';
import { to } from '@hes/contract/page/links.ts';
import { App, Button, Drawer } from 'antd';
import { FileText, Gauge, Receipt, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { LineChart } from '#kit/chart/line-chart.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, startOfDay } from '#core/time/format.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Num, Properties, Sn } from '#kit/basics/text.tsx';
import { ANOMALY } from '#domain/states/anomaly-tables.ts';
import { Frames } from '#domain/frames/frames.tsx';
import { LimitDrawer } from '#domain/meter-limits/limit-drawer.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { texts, type T } from './messages.ts';
import { usePeriod } from './period-filter.ts';
import { STATUS } from './signs.ts';
import styles from './bill.module.css';

/** A reading with a link to its frames. */
function Reading({ t, value, trace, onTrace }: { t: T; value: number | null; trace: string | null; onTrace: (id: string) => void }) {
  if (trace === null) return <Num value={value} decimals={4} unit="kWh" />;
  return (
    <Button type="link" size="small" className={styles['reading'] ?? ''} title={t('openTrace')} onClick={() => onTrace(trace)}>
      <Num value={value} decimals={4} unit="kWh" />
    </Button>
  );
}

function Registers({ line, t }: { line: BillLine; t: T }) {
  const rows = [
    ['Σ', line.plus, line.minus],
    ['T1', line.plusT1, line.minusT1],
    ['T2', line.plusT2, line.minusT2],
    ['T3', line.plusT3, line.minusT3],
    ['T4', line.plusT4, line.minusT4],
  ] as const;
  return (
    <table className={styles['registers']}>
      <thead>
        <tr>
          <td>
            <span className="visually-hidden">{t('registers')}</span>
          </td>
          <th scope="col">{t('plus')}</th>
          <th scope="col">{t('minus')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, plus, minus]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Num value={plus} decimals={2} />
            </td>
            <td>
              <Num value={minus} decimals={2} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One line of the bill: readings, tariffs, days, and the statement for the customer. */
export function LinePane({ id: meterId, rows, select }: PaneProps<BillLine>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [trace, setTrace] = useState<string>();
  const [isLimiting, setLimiting] = useState(false);
  const { from, to: last } = usePeriod();
  const period = useApiQuery(bill.summary, { query: { from, to: last } }).data?.period;
  const periodId = period?.id ?? '';
  const query = useApiQuery(bill.line, { params: { id: periodId, meterId }, enabled: period != null });
  const save = () =>
    download(bill.statement, { params: { id: periodId, meterId } }).catch((error: unknown) => void message.error(failureText(error), 0));
  return (
    <SidePane label={query.data?.sn ?? t('title')}>
      <PanelState query={query} lines={10}>
        {(line) => (
          <>
            <PaneHead
              icon={<Receipt size={20} aria-hidden="true" />}
              title={<Sn sn={line.sn} />}
              place={[line.customerName, line.customerNo, line.transformerName].filter(Boolean).join(' · ')}
              state={
                <>
                  <StateOf tag sign={STATUS[line.status]} />
                  {line.anomaly === 'normal' ? null : <StateOf tag sign={ANOMALY[line.anomaly]} />}
                </>
              }
              {...stepsOf(
                rows.map((row) => ({ id: row.meterId })),
                meterId,
                select,
              )}
            />
            <PaneActions>
              {may(bill.statement) ? (
                <Button type="primary" icon={<FileText size={14} aria-hidden="true" />} onClick={() => void save()}>
                  {t('statement')}
                </Button>
              ) : null}
              <LinkButton to={to.readings({ node: `meter:${line.meterId}` })} icon={<Gauge size={14} aria-hidden="true" />}>
                {t('openMeter')}
              </LinkButton>
              {may(anomaly.setLimit) && !line.isMaster ? (
                <Button icon={<SlidersHorizontal size={14} aria-hidden="true" />} onClick={() => setLimiting(true)}>
                  {t('limits')}
                </Button>
              ) : null}
            </PaneActions>
            <PaneSection title={t('registers')}>
              <Properties
                items={[
                  { label: t('opening'), value: <Reading t={t} value={line.opening} trace={line.openingTrace} onTrace={setTrace} /> },
                  { label: t('closing'), value: <Reading t={t} value={line.closing} trace={line.closingTrace} onTrace={setTrace} /> },
                  { label: t('ratio'), value: <Num value={line.ratio} /> },
                  { label: t('maxDemand'), value: <Num value={line.maxDemandKw} decimals={3} unit="kW" /> },
                  { label: t('amount'), value: <Num value={line.amount} decimals={2} unit={line.currency ?? ''} strong /> },
                ]}
              />
              <Registers line={line} t={t} />
              {line.flags.length > 0 ? (
                <ul className={styles['flags']}>
                  {line.flags.map((flag) => (
                    <li key={flag}>{say(BILL_FLAG_TEXT[flag])}</li>
                  ))}
                </ul>
              ) : null}
            </PaneSection>
            {line.parts.length > 0 ? (
              <PaneSection title={t('parts')}>
                <Properties
                  items={line.parts.map((part) => ({
                    label: [
                      part.sn,
                      part.from && t('from', { at: dateTime(part.from) }),
                      part.until && t('until', { at: dateTime(part.until) }),
                    ]
                      .filter(Boolean)
                      .join(' '),
                    value: <Num value={part.kwh} decimals={2} unit="kWh" />,
                    wide: true,
                  }))}
                />
              </PaneSection>
            ) : null}
            {line.days.length > 1 ? (
              <PaneSection title={t('days')}>
                <div className={styles['dayChart']}>
                  <LineChart
                    bars
                    days
                    label={t('days')}
                    times={line.days.map(({ day }) => Date.parse(startOfDay(day)) / 1000)}
                    unit="kWh"
                    decimals={2}
                    timeLabel={t('time')}
                    series={[{ label: t('plus'), colour: 'primary', values: line.days.map(({ plus }) => plus) }]}
                  />
                </div>
              </PaneSection>
            ) : null}
          </>
        )}
      </PanelState>
      {isLimiting ? <LimitDrawer meterId={meterId} onClose={() => setLimiting(false)} onDone={() => setLimiting(false)} /> : null}
      <Drawer open={trace !== undefined} size={720} title={t('trace')} onClose={() => setTrace(undefined)}>
        {trace === undefined ? null : <Frames traceId={trace} />}
      </Drawer>
    </SidePane>
  );
}
