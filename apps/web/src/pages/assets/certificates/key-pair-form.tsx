import { certificate, newKeyPair, type CertificateRow } from '@hes/contract/asset/certificate.ts';
import { CERTIFICATE_SUITES, CERTIFICATE_USAGE_TEXT, type CertificateSuite } from '@hes/contract/states/certificate.ts';
import { Alert } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { texts } from './messages.ts';

const { usage: usages } = newKeyPair.shape;

/** Generates a key pair of the head-end. */
export function KeyPairForm({ onDone, onClose }: FormProps<CertificateRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm({ usage: usages.options[0], suite: 1 as CertificateSuite }); // as: the first of the choices
  const generate = useApiMutation(certificate.generate, { success: onDone, failure: form.refuse });
  const save = () => {
    const body = form.check(newKeyPair);
    if (body) generate.mutate({ body });
  };
  const labels = { usage: t('usage'), suite: t('suite') };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record="certificate/new"
      title={t('generate')}
      form={form}
      labels={labels}
      saving={generate.isPending}
      onSave={save}
      onClose={onClose}
    >
      <Alert type="info" showIcon title={t('generateHelp')} />
      {field.choice(
        'usage',
        usages.options.map((value) => ({ value, label: say(CERTIFICATE_USAGE_TEXT[value]) })),
        { required: true },
      )}
      {field.choice(
        'suite',
        CERTIFICATE_SUITES.map((value) => ({ value, label: t(value === 1 ? 'suiteOne' : 'suiteTwo') })),
        { required: true },
      )}
    </FormDrawer>
  );
}
