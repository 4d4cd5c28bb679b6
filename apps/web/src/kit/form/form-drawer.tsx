import { Button, Drawer } from 'antd';
import { useId, type ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useDiscard } from './discard.ts';
import { useDraft, type DraftOf } from './drafts.ts';
import { FormBody, focusFirstField } from './form-body.tsx';
import { formTexts } from './form.messages.ts';
import styles from './form.module.css';
import type { Form } from './use-form.ts';

const texts = { ...common, ...formTexts };

interface FormDrawerProps<V extends object> extends DraftOf {
  form: Form<V>;
  /** Names of the fields in the error summary, in the order of the form. */
  labels: Record<string, string>;
  saving: boolean;
  onSave: () => void;
  onClose: () => void;
  size?: number;
  note?: ReactNode;
  readOnly?: boolean;
  children: ReactNode;
}

/** A form in a drawer next to the list: fields in two columns, errors on top and at their fields, actions at the bottom. */
export function FormDrawer<V extends object>({
  title,
  record,
  form,
  labels,
  saving,
  onSave,
  onClose,
  size = 720,
  note,
  readOnly,
  children,
}: FormDrawerProps<V>) {
  const t = useMessages(texts);
  const id = useId();
  const isBack = useDraft(form, { record, title });
  const discard = useDiscard();
  const close = () => (form.isChanged && !readOnly ? discard(onClose) : onClose());
  return (
    <Drawer
      open
      size={size}
      title={title}
      onClose={close}
      // While the drawer opens, its content cannot take the focus.
      afterOpenChange={() => focusFirstField(id)}
      footer={
        <div className={styles['footer']}>
          <span>{note ?? t('recorded')}</span>
          <Button onClick={close}>{t(readOnly ? 'close' : 'cancel')}</Button>
          {readOnly ? null : (
            <Button type="primary" htmlType="submit" form={id} loading={saving}>
              {t('save')}
            </Button>
          )}
        </div>
      }
    >
      <FormBody
        id={id}
        record={record}
        form={form}
        labels={labels}
        isBack={isBack}
        saving={saving}
        onSave={onSave}
        readOnly={readOnly ?? false}
        className={styles['form']}
      >
        {children}
      </FormBody>
    </Drawer>
  );
}
