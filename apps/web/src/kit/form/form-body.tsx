import { useEffect, useId, type ReactNode } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ConflictTable } from './conflict.tsx';
import { useDraft, type DraftOf } from './drafts.ts';
import type { FieldErrors } from './field-errors.ts';
import { controlId, FIRST_FIELD, FormContext } from './field.tsx';
import { formTexts } from './form.messages.ts';
import styles from './form.module.css';
import type { Form } from './use-form.ts';

interface FormBodyProps<V extends object> {
  id: string;
  /** Identity of the edited record, such as `supplier/7`. */
  record: string;
  form: Form<V>;
  /** Names of the fields in the error summary and in a conflict, in the order of the form. */
  labels: Record<string, string>;
  isBack: boolean;
  saving: boolean;
  onSave: () => void;
  readOnly?: boolean;
  /** Accessible name of a form within a page. */
  name?: string;
  className?: string | undefined;
  /** Errors that are shown while the user types. */
  errors?: FieldErrors;
  children: ReactNode;
}

function Summary<V extends object>({ id, form, labels }: { id: string } & Pick<FormBodyProps<V>, 'form' | 'labels'>) {
  const t = useMessages(formTexts);
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

/** Focuses the marked field of a form, unless the user already went to another one. */
export function focusFirstField(id: string): void {
  const form = document.getElementById(id);
  if (form !== null && !form.contains(document.activeElement)) form.querySelector<HTMLElement>(`[${FIRST_FIELD}]`)?.focus();
}

/** The conflict, the error summary and the fields of a form. */
export function FormBody<V extends object>({
  id,
  record,
  form,
  labels,
  isBack,
  saving,
  onSave,
  readOnly,
  name,
  className,
  errors,
  children,
}: FormBodyProps<V>) {
  const t = useMessages(formTexts);
  useEffect(() => focusFirstField(id), [id]);
  return (
    <FormContext value={{ id, errors: { ...errors, ...form.errors } }}>
      <form
        id={id}
        noValidate
        aria-label={name}
        data-editor={record.split('/')[0]}
        className={className}
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
  );
}

interface InlineFormProps<V extends object> extends Omit<FormBodyProps<V>, 'id' | 'record' | 'isBack'>, DraftOf {
  /** For a button outside of the form. */
  id?: string;
  /** False: the input is dropped with the form, unless the user leaves the page. */
  stays?: boolean;
}

/** A form within its page. Its input stays per record until it is saved or undone. */
export function InlineForm<V extends object>({ record, title, stays = true, ...body }: InlineFormProps<V>) {
  const id = useId();
  const isBack = useDraft(body.form, { record, title }, stays);
  return <FormBody id={id} record={record} isBack={isBack} {...body} />;
}
