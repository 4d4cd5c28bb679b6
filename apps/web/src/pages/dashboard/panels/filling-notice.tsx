import { Meter } from '#kit/chart/bars.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from '#pages/dashboard/texts.ts';
import { useSummary } from '#pages/dashboard/use-summary.ts';
import styles from './filling.module.css';

/** Why the first figures of a new installation are low: the history of its meters is being read. */
export function FillingNotice() {
  const t = useMessages(texts);
  const { data } = useSummary();
  if (!data?.filling) return null;
  const { percent, minutesLeft, isDemonstration } = data.filling;
  const text = t(isDemonstration ? 'fillingDemonstration' : 'filling', { percent });
  const left = minutesLeft === null ? '' : ` ${t('fillingLeft', { minutes: minutesLeft })}`;
  return (
    <div className={styles['notice']} role="status">
      <span>
        {text}
        {left}
      </span>
      <span className={styles['bar']}>
        <Meter value={percent} max={100} tone="run" label={t('fillingProgress', { percent })} />
      </span>
    </div>
  );
}
