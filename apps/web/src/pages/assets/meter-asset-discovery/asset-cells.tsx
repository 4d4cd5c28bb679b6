import type { AssetRow } from '@hes/contract/asset/meter.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Meter } from '#kit/chart/bars.tsx';
import { figure } from '#core/time/number.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { DISTRIBUTION, bindSign } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const GOOD_RATE = 95;
const FAIR_RATE = 80;

/** Says why a rate is unknown: the server gives none for meters in the warehouse and on the day of installation. */
export function Rate({ percent }: { percent: number | null }) {
  const t = useMessages(texts);
  if (percent === null) return <span title={t('rateUnknown')}>—</span>;
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
