import { useState } from 'react';
import type { RequestFailed } from '#core/api/errors.ts';
import { fieldErrors, serverErrors, type FieldErrors, type Schema } from './field-errors.ts';

/** Another user saved while this form was open. */
interface Conflict<V> {
  mine: V;
  theirs: V;
  /** Their record: a resolved conflict is saved over its version. */
  current: Record<string, unknown>;
}

export interface Form<V> {
  values: V;
  set: (change: Partial<V>) => void;
  errors: FieldErrors;
  /** A refusal of the server that names no field. */
  general: string | undefined;
  isChanged: boolean;
  /** The values that the user changed. */
  changes: Partial<V>;
  /** Validates the values by a schema of the contract. Returns undefined and shows the errors when a value is invalid. */
  check: <T>(schema: Schema<T>, extra?: Record<string, unknown>) => T | undefined;
  /** Shows a refusal of the server at the fields it names. */
  refuse: (error: RequestFailed) => void;
  /** Set until the form is saved or closed. */
  conflict: Conflict<V> | undefined;
  /** Labels of the values of a field, registered by its control. */
  words: Map<string, readonly { value: unknown; label: string }[]>;
}

/** Names of the version that a record is saved against; the version of a firmware is a field of its own. */
const VERSION_FIELDS = ['version', 'revision'];

const alike = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Fields whose values differ between two states of a form. */
export const differing = <V extends object>(a: V, b: V): (keyof V & string)[] =>
  (Object.keys(a) as (keyof V & string)[]).filter((field) => !alike(a[field], b[field])); // as: keys of that very object

/**
 * State of a form: values, errors, and whether a value was changed. `filledFrom` fills the form from the stored record and enables
 * resolving a conflict field by field.
 */
export function useForm<V extends object>(initial: V, filledFrom?: (current: never) => V): Form<V> {
  const [start] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [general, setGeneral] = useState<string>();
  const [conflict, setConflict] = useState<Conflict<V>>();
  const [words] = useState<Form<V>['words']>(() => new Map());
  return {
    conflict,
    words,
    values,
    errors,
    general,
    isChanged: !alike(values, start),
    changes: Object.fromEntries(differing(values, start).map((field) => [field, values[field]])) as Partial<V>, // as: fields of these very values
    set(change) {
      setValues((old) => ({ ...old, ...change }));
      setErrors((old) => Object.fromEntries(Object.entries(old).filter(([field]) => !(field in change))));
    },
    check(schema, extra = {}) {
      const candidate: Record<string, unknown> = { ...values, ...extra };
      if (conflict) for (const field of VERSION_FIELDS) if (field in extra) candidate[field] = conflict.current[field];
      const result = schema.safeParse(candidate);
      setGeneral(undefined);
      setErrors(result.success ? {} : fieldErrors(result.error.issues, candidate));
      return result.success ? result.data : undefined;
    },
    refuse(error) {
      const { code, current } = error.failure;
      if (code === 'STALE' && current && filledFrom) {
        const theirs = filledFrom(current as never); // as: the record of this very form
        setConflict({ mine: values, theirs, current });
        // Fields that this user did not change take the values of the other user.
        const untouched = differing(values, theirs).filter((field) => alike(values[field], start[field]));
        setValues({ ...values, ...Object.fromEntries(untouched.map((field) => [field, theirs[field]])) });
        return setErrors({});
      }
      const refused = serverErrors(error.failure, Object.keys(values));
      setErrors(refused.errors);
      return setGeneral(refused.general);
    },
  };
}
