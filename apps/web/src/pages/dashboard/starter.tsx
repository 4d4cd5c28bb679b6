import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './texts.ts';
import styles from './cards.module.css';

const STEPS = [
  { address: to.network(), title: 'step1', hint: 'step1Hint' },
  { address: to.dcuTypes(), title: 'step2', hint: 'step2Hint' },
  { address: to.transformers(), title: 'step3', hint: 'step3Hint' },
  { address: to.dcus(), title: 'step4', hint: 'step4Hint' },
] as const;

/** The four steps to the first reading, shown in an empty system. */
export function Starter() {
  const t = useMessages(texts);
  return (
    <div className={styles['starter']}>
      <h2>{t('starter')}</h2>
      {STEPS.map(({ address, title, hint }, at) => (
        <Link key={address} to={address}>
          <b>{at + 1}</b>
          <strong>{t(title)}</strong>
          <span>{t(hint)}</span>
        </Link>
      ))}
    </div>
  );
}
