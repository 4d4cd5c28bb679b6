import { MAX_MOVES, phase } from '@hes/contract/analysis/phase.ts';
import { InputNumber } from 'antd';
import { useMemo } from 'react';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { figure } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';
import type { TabProps } from './address.ts';
import { PhaseMark } from './phase-mark.tsx';
import styles from './phase.module.css';

type Plan = ResponseOf<typeof phase.whatIf>;
type Move = Plan['moves'][number] & { step: number };
const PHASES = ['a', 'b', 'c'] as const;
/** Percentage points between the unbalance of customers and of the master meter that losses and short peaks do not explain. */
const UNLIKE_POINTS = 5;

function Side({ title, side, most }: { title: string; side: Plan['before']; most: number }) {
  const t = useMessages(texts);
  return (
    <section className={styles['side']} aria-label={title}>
      <header>
        <span>{title}</span>
        <b data-value={side.unbalancePercent}>{figure(side.unbalancePercent, 1)} %</b>
        <span className={styles['note']}>{t('powerUnbalance')}</span>
      </header>
      <div className={styles['bars']}>
        {PHASES.map((one, at) => [
          <PhaseMark key={`${one}m`} phase={one} />,
          <span key={`${one}b`} className={styles['bar']} data-phase={one}>
            <i style={{ width: `${most > 0 ? (100 * side.kw[at as 0 | 1 | 2]) / most : 0}%` /* as: of three */ }} />
          </span>,
          <b key={`${one}v`}>{figure(side.kw[at as 0 | 1 | 2], 2)} kW</b> /* as: of three */,
        ])}
      </div>
    </section>
  );
}

/** From what the plan was calculated, and whether the master meter measured the same. */
function Basis({ plan: { meters, threePhaseMeters, measuredPercent, before } }: { plan: Plan }) {
  const t = useMessages(texts);
  const isUnlike = measuredPercent !== null && Math.abs(measuredPercent - before.unbalancePercent) > UNLIKE_POINTS;
  return (
    <span className={styles['basis']}>
      {t('basis', { count: meters, threePhase: threePhaseMeters })}
      {measuredPercent === null ? null : ` · ${t('measured', { percent: figure(measuredPercent, 1) })}`}
      {isUnlike ? <strong> {t('unlikeMeasured')}</strong> : null}
    </span>
  );
}

/** The smallest number of meters to move to another phase, step by step. */
export function WhatIfTab({ transformerId, range, url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const moves = Math.min(MAX_MOVES, Math.max(1, Number(url.moves) || 1));
  const query = useApiQuery(phase.whatIf, { params: { transformerId }, query: { ...range, moves }, keep: true });
  const columns = useMemo(
    (): Column<Move>[] => [
      { key: 'step', title: t('step'), width: 64, align: 'right', cell: (row) => row.step },
      { key: 'sn', title: t('sn'), width: 160, cell: (row) => <Sn sn={row.sn} /> },
      { key: 'customer', title: t('customer'), cell: (row) => row.customerName ?? '—' },
      { key: 'from', title: t('from'), width: 90, value: (row) => row.from, cell: (row) => <PhaseMark phase={row.from} /> },
      { key: 'to', title: t('to'), width: 90, value: (row) => row.to, cell: (row) => <PhaseMark phase={row.to} strong /> },
      {
        key: 'meanKw',
        title: `${t('meanKw')} (kW)`,
        width: 150,
        align: 'right',
        value: (row) => row.meanKw,
        cell: (row) => <Num value={row.meanKw} decimals={3} />,
      },
      {
        key: 'unbalancePercent',
        title: `${t('unbalanceAfter')} (%)`,
        width: 180,
        align: 'right',
        value: (row) => row.unbalancePercent,
        cell: (row) => <Num value={row.unbalancePercent} decimals={1} strong />,
      },
    ],
    [t],
  );
  return (
    <div className={styles['whatIf']}>
      <div className={styles['asked']}>
        <label htmlFor="phase-moves">{t('moves')}</label>
        <InputNumber id="phase-moves" min={1} max={MAX_MOVES} value={moves} onChange={(value) => setUrl({ moves: String(value ?? 1) })} />
        <span className={styles['note']}>{t('movesNote')}</span>
        {query.data ? <Basis plan={query.data} /> : null}
      </div>
      <PanelState query={query} lines={8}>
        {(data) => {
          const most = Math.max(...data.before.kw, ...data.after.kw);
          return (
            <>
              <div className={styles['sides']}>
                <Side title={t('before')} side={data.before} most={most} />
                <Side title={t('after')} side={data.after} most={most} />
              </div>
              <DataTable<Move>
                label={t('whatIf')}
                columns={columns}
                rows={data.moves.map((move, index) => ({ ...move, step: index + 1 }))}
                rowKey={(row) => row.meterId}
                stale={query.isPlaceholderData}
                empty={<Empty text={t('noMoves')} hint={t('noMovesHint', { count: data.meters })} />}
              />
            </>
          );
        }}
      </PanelState>
    </div>
  );
}
