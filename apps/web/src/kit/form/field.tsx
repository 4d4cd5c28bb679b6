import { createContext, useContext, type ReactNode } from 'react';
import { useSay } from '#core/i18n/use-messages.ts';
import type { FieldErrors } from './field-errors.ts';
import styles from './form.module.css';

interface FormFrame {
  id: string;
  errors: FieldErrors;
}
/** Marks the control that takes the focus when its form has opened. */
export const FIRST_FIELD = 'data-first-field';

export const FormContext = createContext<FormFrame>({ id: 'form', errors: {} });

export const controlId = (form: string, field: string): string => `${form}-${field}`;

/** Attributes that link a control to its label and its error. */
interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-required': boolean;
  'aria-describedby': string | undefined;
  status: '' | 'error';
}

interface FieldProps {
  name: string;
  label: string;
  required?: boolean;
  help?: ReactNode;
  /** Spans both columns of the form. */
  wide?: boolean;
  children: (control: ControlProps) => ReactNode;
}

/** Label above, help or error below, linked to the control for screen readers. */
export function Field({ name, label, required = false, help, wide = false, children }: FieldProps) {
  const say = useSay();
  const frame = useContext(FormContext);
  const id = controlId(frame.id, name);
  const error = frame.errors[name];
  const note = `${id}-note`;
  return (
    <div className={wide ? styles['wide'] : styles['field']}>
      <label htmlFor={id}>
        {label}
        {required ? (
          <span className={styles['required']} aria-hidden="true">
            *
          </span>
        ) : null}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-required': required,
        'aria-describedby': error !== undefined || help ? note : undefined,
        status: error === undefined ? '' : 'error',
      })}
      <div id={note} className={error === undefined ? styles['help'] : styles['error']}>
        {error === undefined ? help : typeof error === 'string' ? error : say(error.text, { label, ...error.params })}
      </div>
    </div>
  );
}
