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

/** The ways to the first reading, shown in an empty system: guided from a device, or from the network down. */
export function Starter() {
  const t = useMessages(texts);
  return (
    <div className={styles['starter']}>
      <Link to={to.connect()} className={styles['guided']}>
        <strong>{t('connectFirst')}</strong>
        <span>{t('connectFirstHint')}</span>
      </Link>
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
