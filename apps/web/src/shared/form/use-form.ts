import { useState } from 'react';
import type { RequestFailed } from '#shared/api/errors.ts';
import { fieldErrors, serverErrors, type FieldErrors, type Schema } from './field-errors.ts';

export interface Form<V> {
  values: V;
  set: (change: Partial<V>) => void;
  errors: FieldErrors;
  /** What the server refused without naming a field. */
  general: string | undefined;
  isChanged: boolean;
  /** Judges the values by a schema of the contract; undefined, and the errors shown, when something is wrong. */
  check: <T>(schema: Schema<T>, extra?: Record<string, unknown>) => T | undefined;
  /** Takes a refusal of the server to the fields it is about. */
  refuse: (error: RequestFailed) => void;
}

/** State of a form: values, what is wrong with them, whether anything was changed. */
export function useForm<V extends object>(initial: V): Form<V> {
  const [start] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [general, setGeneral] = useState<string>();
  return {
    values,
    errors,
    general,
    isChanged: JSON.stringify(values) !== JSON.stringify(start),
    set(change) {
      setValues((old) => ({ ...old, ...change }));
      setErrors((old) => Object.fromEntries(Object.entries(old).filter(([field]) => !(field in change))));
    },
    check(schema, extra = {}) {
      const candidate: Record<string, unknown> = { ...values, ...extra };
      const result = schema.safeParse(candidate);
      setGeneral(undefined);
      setErrors(result.success ? {} : fieldErrors(result.error.issues, candidate));
      return result.success ? result.data : undefined;
    },
    refuse(error) {
      const refused = serverErrors(error.failure, Object.keys(values));
      setErrors(refused.errors);
      setGeneral(refused.general);
    },
  };
}
