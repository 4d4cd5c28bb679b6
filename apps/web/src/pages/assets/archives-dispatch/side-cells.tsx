import type { ArchiveEntry, ArchiveRow } from '@hes/contract/asset/archive.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { fieldText, FIELDS, texts } from './texts.ts';
import styles from './archives.module.css';

/** Fields that are always shown; the others appear only when they differ. */
const ALWAYS_SHOWN = new Set<keyof ArchiveEntry>(['measurementPoint', 'communicationMode', 'phase']);

/** One side of a row: point, mode and phase, and the differing fields, marked. */
export function Side({ entry, differing }: { entry: ArchiveEntry | null; differing: readonly string[] }) {
  const t = useMessages(texts);
  if (entry === null) return <span className={styles['absent']}>—</span>;
  return (
    <span className={styles['side']}>
      {FIELDS.filter(([field]) => ALWAYS_SHOWN.has(field) || differing.includes(field)).map(([field, label]) => (
        <span key={field} data-differs={differing.includes(field) || undefined} title={t(label)}>
          {field === 'measurementPoint' ? '#' : ''}
          {fieldText(entry, field, t)}
        </span>
      ))}
    </span>
  );
}

/** The meter as discovered in its network: mode, phase, hops and signal. */
export function Air({ row }: { row: ArchiveRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const { air, hes } = row;
  if (air === null) return <span className={styles['absent']}>—</span>;
  const isOtherPhase = hes !== null && hes.phase !== 'unknown' && air.phase !== 'unknown' && hes.phase !== air.phase;
  return (
    <span className={styles['side']}>
      <span>{t(air.communicationMode)}</span>
      <span data-differs={isOtherPhase || undefined} title={t('phase')}>
        {air.phase === 'unknown' ? '—' : air.phase.toUpperCase()}
      </span>
      <span>{t('hopCount', { count: air.hops })}</span>
      <span>{say(SIGNAL_TEXT[air.signal])}</span>
    </span>
  );
}
