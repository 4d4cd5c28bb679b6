import { Button, Drawer } from 'antd';
import { useId, type ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ConflictTable } from './conflict.tsx';
import { useDiscard } from './discard.ts';
import { useDraft, type DraftOf } from './drafts.ts';
import { controlId, FormContext } from './field.tsx';
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

function Summary<V extends object>({ id, form, labels }: { id: string } & Pick<FormDrawerProps<V>, 'form' | 'labels'>) {
  const t = useMessages(texts);
  const say = useSay();
  const order = Object.keys(labels);
  const wrong = Object.entries(form.errors).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  if (wrong.length === 0 && form.general === undefined) return null;
  return (
    <div role="alert" className={styles['summary']}>
      <p>{form.general ?? t('correct')}</p>
      <ul>
        {wrong.map(([field, error]) => {
          const label = labels[field] ?? field;
          return (
            <li key={field}>
              <button type="button" onClick={() => document.getElementById(controlId(id, field))?.focus()}>
                {label}
              </button>
              {': '}
              {typeof error === 'string' ? error : say(error.text, { label, ...error.params })}
            </li>
          );
        })}
      </ul>
    </div>
  );
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
      <FormContext value={{ id, errors: form.errors }}>
        <form
          id={id}
          noValidate
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            if (!saving && !readOnly) onSave();
          }}
        >
          {isBack && form.isChanged ? <p className={styles['back']}>{t('draftBack')}</p> : null}
          <ConflictTable form={form} labels={labels} />
          <Summary id={id} form={form} labels={labels} />
          {children}
        </form>
      </FormContext>
    </Drawer>
  );
}
