import { Link } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './texts.ts';
import styles from './cards.module.css';

const STEPS = [
  { to: '/assets/network', title: 'step1', hint: 'step1Hint' },
  { to: '/assets/dcu-type-management', title: 'step2', hint: 'step2Hint' },
  { to: '/assets/transformer', title: 'step3', hint: 'step3Hint' },
  { to: '/assets/dcu', title: 'step4', hint: 'step4Hint' },
] as const;

/** The four steps to the first reading, shown in an empty system. */
export function Starter() {
  const t = useMessages(texts);
  return (
    <div className={styles['starter']}>
      <h2>{t('starter')}</h2>
      {STEPS.map(({ to, title, hint }, at) => (
        <Link key={to} to={to}>
          <b>{at + 1}</b>
          <strong>{t(title)}</strong>
          <span>{t(hint)}</span>
        </Link>
      ))}
    </div>
  );
}
