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
  /** Labels of the values of a field, registered by its control: a list of choices, or a function. */
  words: Map<string, readonly { value: unknown; label: string }[] | ((value: unknown) => string)>;
  /** The start values of the changed fields. A draft compares them with the record that it is restored to. */
  of: Partial<V>;
  /** Shows another state of the record; the input is dropped. */
  refill: (values: V) => void;
  /** Restores changes that were begun from `of`; shows a conflict when the record has other values by now. */
  restore: (changes: Partial<V>, of: Partial<V>) => void;
}

/** Names of the version that a record is saved against; the version of a firmware is a field of its own. */
const VERSION_FIELDS = ['version', 'revision', 'updatedAt'];

const alike = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Fields whose values differ between two states of a form. */
export const differing = <V extends object>(a: V, b: V): (keyof V & string)[] =>
  (Object.keys(a) as (keyof V & string)[]).filter((field) => !alike(a[field], b[field])); // as: keys of that very object

/**
 * State of a form: values, errors, and whether a value was changed. `filledFrom` fills the form from the stored record and enables
 * resolving a conflict field by field.
 */
export function useForm<V extends object>(initial: V, filledFrom?: (current: never) => V): Form<V> {
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [general, setGeneral] = useState<string>();
  const [conflict, setConflict] = useState<Conflict<V>>();
  const [words] = useState<Form<V>['words']>(() => new Map());
  const changed = differing(values, start);
  const valuesIn = (from: V) => Object.fromEntries(changed.map((field) => [field, from[field]])) as Partial<V>; // as: fields of these very values
  return {
    conflict,
    words,
    values,
    errors,
    general,
    isChanged: changed.length > 0,
    changes: valuesIn(values),
    of: valuesIn(start),
    refill(next) {
      setStart(next);
      setValues(next);
      setErrors({});
      setGeneral(undefined);
      setConflict(undefined);
    },
    restore(changes, of) {
      const mine = { ...start, ...changes };
      setValues(mine);
      const isOvertaken = differing(of as V, start).some((field) => !alike(mine[field], start[field])); // as: only its own fields are compared
      if (isOvertaken) setConflict({ mine, theirs: start, current: {} });
    },
    set(change) {
      setValues((old) => ({ ...old, ...change }));
      setErrors((old) => Object.fromEntries(Object.entries(old).filter(([field]) => !(field in change))));
    },
    check(schema, extra = {}) {
      const candidate: Record<string, unknown> = { ...values, ...extra };
      if (conflict)
        for (const field of VERSION_FIELDS) if (field in extra && field in conflict.current) candidate[field] = conflict.current[field];
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
        setValues({ ...theirs, ...valuesIn(values) });
        setStart(theirs);
        return setErrors({});
      }
      const refused = serverErrors(error.failure, Object.keys(values));
      setErrors(refused.errors);
      return setGeneral(refused.general);
    },
  };
}

/**
 * The form of a record that its page keeps showing. While the form has input, a newer version of the record is held back: it would overwrite
 * the input, or the input would be saved over changes that the user has not seen.
 */
export function useRecordForm<R extends object, V extends object>(record: R, startOf: (record: R) => V) {
  const [seen, setSeen] = useState(record);
  const [standing, setStanding] = useState(record);
  const form = useForm(startOf(standing), startOf);
  const take = (next: R) => {
    setSeen(record);
    setStanding(next);
    form.refill(startOf(next));
  };
  if (seen !== record && !form.isChanged) take(record);
  return { form, record: standing, take };
}
