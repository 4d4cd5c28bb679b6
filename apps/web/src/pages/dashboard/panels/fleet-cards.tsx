import { ANOMALY_TEXT, ANOMALY_TYPES } from '@hes/contract/states/anomaly.ts';
import { BIND_TEXT, DISPATCH_TEXT } from '@hes/contract/states/archive.ts';
import { SIGNAL_TEXT, SIGNAL_STRENGTHS } from '@hes/contract/states/signal.ts';
import { to } from '@hes/contract/page/links.ts';
import { Suspense } from 'react';
import { Link } from 'react-router';
import { Meter } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState, Skeleton } from '#kit/basics/states.tsx';
import { lossSignOf, useLossBounds } from '#domain/states/loss.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { bindSign, dispatchSign } from '#domain/states/tables.ts';
import { counted } from '#kit/state/sign.ts';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { SIGNAL_TONE } from '#domain/topology/signs.ts';
import { Card } from '#pages/dashboard/card.tsx';
import { LineChart } from '#pages/dashboard/late.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { useCard, useChoice } from '#pages/dashboard/use-cards.ts';
import styles from '#pages/dashboard/cards.module.css';

/** Stations by signal strength. */
export function SignalPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = useCard('signal');
  const bySignal = query.data?.bySignal;
  return (
    <Card
      title={t('signal')}
      note="PLC + RF"
      csv={bySignal && (() => [[t('signal'), t('meters')], ...SIGNAL_STRENGTHS.map((key) => [say(SIGNAL_TEXT[key]), bySignal[key]])])}
    >
      <PanelState
        query={query}
        lines={6}
        isEmpty={(data) => Object.values(data.bySignal).every((count) => count === 0)}
        empty={<Empty small text={t('noSignal')} hint={t('noSignalHint')} />}
      >
        {(data) => {
          const most = Math.max(...Object.values(data.bySignal));
          return (
            <div className={styles['rows']}>
              {SIGNAL_STRENGTHS.map((key) => (
                <Link key={key} to={to.topology({ signal: key })}>
                  <SignalBars signal={key} />
                  <Meter value={data.bySignal[key]} max={most} tone={SIGNAL_TONE[key]} label={String(data.bySignal[key])} />
                  <b data-value={data.bySignal[key]}>{figure(data.bySignal[key])}</b>
                </Link>
              ))}
            </div>
          );
        }}
      </PanelState>
    </Card>
  );
}

/** The four combinations of bind and dispatch state; two of them need an action. */
export function ArchivesPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = useCard('archives');
  const { data } = query;
  const todo = data?.items.reduce(
    (sum, { bind, dispatch, count }) => sum + ((bind === 'bound') === (dispatch === 'distributed') ? 0 : count),
    0,
  );
  return (
    <Card
      title={t('archives')}
      note={todo === undefined ? null : t('toDo', { count: figure(todo) })}
      csv={
        data &&
        (() => [
          [t('bindState'), t('dispatchState'), t('meters')],
          ...data.items.map(({ bind, dispatch, count }) => [say(BIND_TEXT[bind]), say(DISPATCH_TEXT[dispatch]), count]),
        ])
      }
    >
      <PanelState query={query} lines={4}>
        {({ items }) => (
          <div className={styles['rows']} data-wide="true">
            {items.map(({ bind, dispatch, count }) => (
              <Link key={`${bind}-${dispatch}`} to={to.archives({ bindState: bind, dispatchState: dispatch })}>
                <span className={styles['pair']}>
                  <StateOf sign={counted(bindSign(bind, dispatch), count)} />
                  <StateOf sign={counted(dispatchSign(bind, dispatch), count)} />
                </span>
                <b data-value={count}>{figure(count)}</b>
              </Link>
            ))}
          </div>
        )}
      </PanelState>
    </Card>
  );
}

/** Meters with an unusual day. */
export function AnomaliesPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = useCard('anomalies');
  const { data } = query;
  const [{ node }] = useChoice();
  return (
    <Card
      title={t('anomalies')}
      note={data?.day}
      csv={data && (() => [[t('anomalies'), t('meters')], ...ANOMALY_TYPES.map((key) => [say(ANOMALY_TEXT[key]), data.byType[key]])])}
    >
      <PanelState
        query={query}
        lines={6}
        isEmpty={({ day }) => day === null}
        empty={<Empty small text={t('noAnomalies')} hint={t('noDay')} />}
      >
        {({ day, byType }) => {
          const most = Math.max(1, ...ANOMALY_TYPES.filter((key) => key !== 'normal').map((key) => byType[key]));
          return (
            <div className={styles['rows']}>
              {ANOMALY_TYPES.map((key) => (
                <Link
                  key={key}
                  to={to.bills({
                    tab: 'anomalies',
                    node,
                    from: day ?? undefined,
                    to: day ?? undefined,
                    anomaly: key === 'normal' ? undefined : key,
                  })}
                >
                  <span>{say(ANOMALY_TEXT[key])}</span>
                  <Meter
                    value={key === 'normal' ? 1 : byType[key]}
                    max={key === 'normal' ? 1 : most}
                    tone={key === 'normal' ? 'ok' : 'amber'}
                    label={String(byType[key])}
                  />
                  <b data-value={byType[key]}>{figure(byType[key])}</b>
                </Link>
              ))}
            </div>
          );
        }}
      </PanelState>
    </Card>
  );
}

/** The transformers with the highest losses. */
export function LossesPanel() {
  const t = useMessages(texts);
  const query = useCard('losses');
  const bounds = useLossBounds();
  const items = query.data?.items;
  return (
    <Card
      title={t('losses')}
      note={items?.[0]?.day}
      csv={
        items &&
        (() => [
          [t('transformers'), t('lossKwh'), t('lossPercent')],
          ...items.map(({ name, lossKwh, lossPercent }) => [name, lossKwh, lossPercent]),
        ])
      }
    >
      <PanelState
        query={query}
        lines={5}
        isEmpty={(data) => data.items.length === 0}
        empty={<Empty small text={t('noLosses')} hint={t('noDay')} />}
      >
        {(data) => {
          const most = Math.max(1, ...data.items.map(({ lossPercent }) => lossPercent));
          return (
            <div className={styles['rows']}>
              {data.items.map((row) => (
                <Link
                  key={row.transformerId}
                  to={to.bills({ tab: 'balance', node: `transformer:${row.transformerId}`, from: row.day, to: row.day })}
                >
                  <span>{row.name}</span>
                  <Meter
                    value={Math.max(0, row.lossPercent)}
                    max={most}
                    tone={lossSignOf(row.lossPercent, bounds).tone}
                    label={`${row.lossPercent.toFixed(1)} %`}
                  />
                  <b data-value={row.lossPercent}>{row.lossPercent.toFixed(1)} %</b>
                </Link>
              ))}
            </div>
          );
        }}
      </PanelState>
    </Card>
  );
}

/** Number of online DCUs per hour. */
export function AvailabilityPanel() {
  const t = useMessages(texts);
  const query = useCard('availability');
  const { data } = query;
  const [{ date }] = useChoice();
  const now = data?.hours.at(-1);
  return (
    <Panel
      title={t('availability')}
      note={
        date ??
        (typeof now?.percent === 'number' && data
          ? t('availabilityNow', { share: percent(now.percent, 100, 1) ?? '—', max: figure(now.max ?? 0), total: figure(data.total) })
          : null)
      }
    >
      <PanelState query={query} lines={5} isEmpty={({ total }) => total === 0} empty={<Empty small text={t('noDcus')} />}>
        {({ hours }) => (
          <Suspense fallback={<Skeleton lines={5} />}>
            <LineChart
              name={t('availability')}
              timeLabel={t('time')}
              label={t('availability')}
              unit=""
              decimals={1}
              times={hours.map(({ at }) => Date.parse(at) / 1000)}
              series={[
                { label: t('most'), colour: 'reference', values: hours.map(({ max }) => max) },
                { label: t('meanOnline'), colour: 'primary', values: hours.map(({ mean }) => mean), fill: true },
              ]}
            />
          </Suspense>
        )}
      </PanelState>
    </Panel>
  );
}
