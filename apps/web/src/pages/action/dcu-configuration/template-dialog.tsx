import { dcuConfig, type DcuTemplate } from '@hes/contract/action/dcu-config.ts';
import { Alert, Input, Modal } from 'antd';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import type { Changes } from './parameter-form.tsx';

const NAME_MAX = 64;
const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

interface TemplateDialogProps {
  values: Changes;
  templates: readonly DcuTemplate[];
  onSaved: () => void;
  onClose: () => void;
}

/** Saves values as a template. The button says so when it replaces a template of the same name. */
export function TemplateDialog({ values, templates, onSaved, onClose }: TemplateDialogProps) {
  const t = useMessages(texts);
  const id = useId();
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const save = useApiMutation(dcuConfig.saveTemplate, { success: onSaved });
  const wanted = name.trim();
  const replaced = templates.find((template) => isSameName(template.name, wanted));
  const isMissing = isTried && wanted === '';
  const send = () => {
    setTried(true);
    if (wanted !== '' && !save.isPending) save.mutate({ body: { name: wanted, values, replaces: replaced?.id } });
  };
  return (
    <Modal
      open
      centered
      title={t('saveTemplate')}
      okText={t(replaced ? 'replaceTemplate' : 'save')}
      cancelText={t('cancel')}
      confirmLoading={save.isPending}
      onOk={send}
      onCancel={onClose}
    >
      <label htmlFor={id}>{t('templateName')}</label>
      <Input
        id={id}
        autoFocus
        maxLength={NAME_MAX}
        status={isMissing ? 'error' : ''}
        aria-invalid={isMissing}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onPressEnter={send}
      />
      {isMissing ? <Alert type="error" showIcon role="alert" title={t('templateNameMissing')} /> : null}
      {replaced ? (
        <Alert
          type="warning"
          showIcon
          role="alert"
          title={t('replacesTemplate', {
            name: replaced.name,
            by: replaced.createdByName ?? '—',
            count: Object.keys(replaced.values).length,
          })}
        />
      ) : null}
      {save.error ? <Alert type="error" showIcon role="alert" title={save.error.message} /> : null}
    </Modal>
  );
}
