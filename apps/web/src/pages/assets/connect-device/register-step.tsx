import type { Progress } from '@hes/contract/asset/connecting.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import { RegisterDcu } from './register-dcu.tsx';
import { RegisterMeter } from './register-meter.tsx';
import { SecretsForm } from './secrets-form.tsx';
import type { StepProps } from './step-props.ts';
import styles from './connect.module.css';

/** Registers the device; afterwards it shows what is registered and takes secrets that are missing. */
export function RegisterStep({ progress, ...props }: StepProps & { progress: Progress | undefined }) {
  const t = useMessages(texts);
  const { kind, setUrl, onChanged } = props;
  if (progress === undefined) return kind === 'dcu' ? <RegisterDcu {...props} /> : <RegisterMeter {...props} />;
  const page = kind === 'dcu' ? to.dcus({ search: progress.sn, sel: progress.id }) : to.meterAssets({ sel: progress.id });
  return (
    <>
      <div className={styles['row']} role="status">
        {t('registered', { sn: progress.sn })}
        <StateOf tag sign={ONLINE[progress.onlineStatus]} />
      </div>
      {progress.hasKeys ? null : <SecretsForm progress={progress} onSaved={onChanged} />}
      <div className={styles['actions']}>
        <Button type="primary" onClick={() => setUrl({ step: 'online' })}>
          {t('next')}
        </Button>
        <LinkButton to={page}>{t('openDevice')}</LinkButton>
      </div>
    </>
  );
}
