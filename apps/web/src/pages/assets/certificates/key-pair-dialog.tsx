import { certificate, newKeyPair, type CertificateRow } from '@hes/contract/asset/certificate.ts';
import { CERTIFICATE_SUITES, CERTIFICATE_USAGE_TEXT, type CertificateSuite } from '@hes/contract/states/certificate.ts';
import { Alert, Modal, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import styles from './certificates.module.css';
import { texts } from './messages.ts';

const usages = newKeyPair.shape.usage.options;

/** Generates a key pair of the head-end. */
export function KeyPairDialog({ onDone, onClose }: FormProps<CertificateRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const [usage, setUsage] = useState<(typeof usages)[number]>('digital_signature');
  const [suite, setSuite] = useState<CertificateSuite>(1);
  const generate = useApiMutation(certificate.generate, { success: onDone });
  return (
    <Modal
      open
      centered
      title={t('generate')}
      okText={t('generate')}
      cancelText={t('cancel')}
      confirmLoading={generate.isPending}
      onOk={() => generate.mutate({ body: { usage, suite } })}
      onCancel={onClose}
    >
      <div className={styles['choices']}>
        <p>{t('generateHelp')}</p>
        <Select
          aria-label={t('usage')}
          value={usage}
          options={usages.map((value) => ({ value, label: say(CERTIFICATE_USAGE_TEXT[value]) }))}
          onChange={setUsage}
        />
        <Select
          aria-label={t('suite')}
          value={suite}
          options={CERTIFICATE_SUITES.map((value) => ({ value, label: `${t('suite')} ${t(value === 1 ? 'suiteOne' : 'suiteTwo')}` }))}
          onChange={setSuite}
        />
        {generate.error ? <Alert type="error" showIcon role="alert" title={generate.error.message} /> : null}
      </div>
    </Modal>
  );
}
