import type { AssetRow } from '@hes/contract/asset/meter.ts';
import { Meter } from '#kit/chart/bars.tsx';
import { figure } from '#core/time/number.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { DISTRIBUTION, bindSign } from '#domain/states/tables.ts';
import styles from './discovery.module.css';

const GOOD_RATE = 95;
const FAIR_RATE = 80;

export function Rate({ percent }: { percent: number | null }) {
  if (percent === null) return '—';
  const tone = percent >= GOOD_RATE ? 'ok' : percent >= FAIR_RATE ? 'amber' : 'red';
  return (
    <span className={styles['rate']}>
      <Meter value={percent} max={100} tone={tone} label={`${percent} %`} />
      <span>{figure(percent, 1)} %</span>
    </span>
  );
}

/** The state of a meter in the archive of its DCU. */
export function ArchiveOf({ row }: { row: AssetRow }) {
  if (row.bindState === null || row.dispatchState === null) return '—';
  if (row.distributionState !== null) return <StateOf sign={DISTRIBUTION[row.distributionState]} />;
  return <StateOf sign={bindSign(row.bindState, row.dispatchState)} />;
}
