import { Checkbox, Input, InputNumber, Select } from 'antd';
import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import type { Form } from './use-form.ts';

interface Options {
  required?: boolean;
  help?: ReactNode;
  wide?: boolean;
  disabled?: boolean;
}
interface Choice {
  value: string | number;
  label: string;
  disabled?: boolean;
}

/** The controls of a form by the names of its values, which are those of the contract. */
export function formFields<V extends object>(form: Form<V>, labels: { [K in keyof V & string]?: string }) {
  const { values } = form;
  const set = (name: keyof V & string, value: unknown) => form.set({ [name]: value } as Partial<V>); // as: the control of that very value
  const frame = (name: keyof V & string, { required, help, wide }: Options) => ({
    name,
    label: labels[name] ?? name,
    required: required ?? false,
    help,
    wide: wide ?? false,
  });
  return {
    text: (
      name: keyof V & string,
      options: Options & { mono?: boolean; autoFocus?: boolean; rows?: number; placeholder?: string } = {},
    ) => (
      <Field {...frame(name, options)}>
        {(control) =>
          options.rows ? (
            <Input.TextArea
              {...control}
              rows={options.rows}
              value={String(values[name] ?? '')}
              onChange={(event) => set(name, event.target.value)}
            />
          ) : (
            <Input
              {...control}
              autoComplete="off"
              className={options.mono ? 'mono' : ''}
              autoFocus={options.autoFocus ?? false}
              disabled={options.disabled ?? false}
              placeholder={options.placeholder ?? ''}
              value={String(values[name] ?? '')}
              onChange={(event) => set(name, event.target.value)}
            />
          )
        }
      </Field>
    ),
    number: (name: keyof V & string, options: Options & { unit?: string; precision?: number } = {}) => (
      <Field {...frame(name, options)}>
        {(control) => (
          <InputNumber<number>
            {...control}
            style={{ width: '100%' }}
            controls={false}
            suffix={options.unit}
            disabled={options.disabled ?? false}
            {...(options.precision === undefined ? {} : { precision: options.precision })}
            value={(values[name] as number | null) ?? null}
            onChange={(value) => set(name, value)}
          />
        )}
      </Field>
    ),
    choice: (name: keyof V & string, choices: Choice[], options: Options = {}) => {
      form.words.set(name, choices);
      return (
        <Field {...frame(name, options)}>
          {({ status, ...control }) => (
            <Select
              {...control}
              {...(status === '' ? {} : { status })}
              showSearch={{ optionFilterProp: 'label' }}
              disabled={options.disabled ?? false}
              value={values[name] as string}
              options={choices}
              onChange={(value) => set(name, value)}
            />
          )}
        </Field>
      );
    },
    /** Short texts typed by the user, each shown as a tag. */
    tags: (name: keyof V & string, options: Options & { placeholder?: string } = {}) => (
      <Field {...frame(name, options)}>
        {({ status, ...control }) => (
          <Select
            {...control}
            {...(status === '' ? {} : { status })}
            mode="tags"
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', ';', ' ', '\n']}
            placeholder={options.placeholder ?? ''}
            value={values[name] as string[]}
            onChange={(value) => set(name, value)}
          />
        )}
      </Field>
    ),
    many: (name: keyof V & string, choices: { value: string; label: string }[], options: Options = {}) => (
      <Field {...frame(name, options)}>
        {({ id, 'aria-describedby': describedBy }) => (
          <Checkbox.Group
            aria-label={labels[name] ?? name}
            aria-describedby={describedBy}
            {...{ id }}
            value={values[name] as string[]}
            options={choices}
            onChange={(value) => set(name, value)}
          />
        )}
      </Field>
    ),
    flag: (name: keyof V & string, text: string, options: Options = {}) => (
      <Field {...frame(name, options)}>
        {({ status: _, ...control }) => (
          <Checkbox {...control} checked={Boolean(values[name])} onChange={(event) => set(name, event.target.checked)}>
            {text}
          </Checkbox>
        )}
      </Field>
    ),
  };
}

/** The options of a select for a table of texts. */
export const choicesOf = <K extends string>(
  table: Record<K, { en: string; zh: string }>,
  say: (text: { en: string; zh: string }) => string,
) => (Object.keys(table) as K[]).map((value) => ({ value, label: say(table[value]) })); // as: keys of that very table
