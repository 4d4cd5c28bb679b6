import type { Text } from '@hes/contract/core/text.ts';
import { Checkbox, DatePicker, Input, InputNumber, Segmented, Select, Switch } from 'antd';
import dayjs from 'dayjs';
import type { ReactNode } from 'react';
import { Field, FIRST_FIELD } from './field.tsx';
import type { Form } from './use-form.ts';

interface Options {
  required?: boolean;
  help?: ReactNode;
  wide?: boolean;
  disabled?: boolean;
}
interface Choice<C> {
  value: C;
  label: string;
  disabled?: boolean;
}

/** Value of the choice of none, where a control has no null. */
const NONE = 'none';
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> }; // as: the rest of it

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
      options: Options & {
        mono?: boolean;
        autoFocus?: boolean;
        rows?: number;
        placeholder?: string;
        max?: number;
        as?: (typed: string) => unknown;
      } = {},
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
              {...(options.autoFocus ? { [FIRST_FIELD]: '' } : {})}
              disabled={options.disabled ?? false}
              placeholder={options.placeholder ?? ''}
              maxLength={options.max}
              value={String(values[name] ?? '')}
              onChange={({ target }) => set(name, options.as ? options.as(target.value) : target.value)}
            />
          )
        }
      </Field>
    ),
    number: (
      name: keyof V & string,
      options: Options & {
        unit?: string | undefined;
        precision?: number;
        min?: number;
        max?: number;
        placeholder?: string;
        empty?: number;
      } = {},
    ) => (
      <Field {...frame(name, options)}>
        {(control) => (
          <InputNumber<number>
            {...control}
            style={{ width: '100%' }}
            controls={false}
            suffix={options.unit}
            disabled={options.disabled ?? false}
            placeholder={options.placeholder ?? ''}
            {...defined({ precision: options.precision, min: options.min, max: options.max })}
            value={(values[name] as number | null) ?? null}
            onChange={(value) => set(name, value ?? options.empty ?? null)}
          />
        )}
      </Field>
    ),
    /** `onChoose` replaces what a choice other than none sets, where other fields follow from it. */
    choice: <C extends string | number | null>(
      name: keyof V & string,
      choices: Choice<C>[],
      options: Options & {
        clearable?: boolean;
        multiple?: boolean;
        loading?: boolean;
        placeholder?: string;
        render?: (value: string) => ReactNode;
        onChoose?: (value: NonNullable<C>) => void;
        onSearch?: (typed: string) => void;
      } = {},
    ) => {
      form.words.set(name, choices);
      const { render, onSearch } = options;
      return (
        <Field {...frame(name, options)}>
          {({ status, ...control }) => (
            <Select<C | null, Choice<C>>
              {...control}
              {...(status === '' ? {} : { status })}
              {...(options.multiple ? { mode: 'multiple' as const } : {})}
              {...(render ? { optionRender: ({ value }) => render(String(value)), labelRender: ({ value }) => render(String(value)) } : {})}
              style={{ width: '100%' }}
              showSearch={onSearch ? { filterOption: false, onSearch } : { optionFilterProp: 'label' }}
              allowClear={options.clearable ?? false}
              loading={options.loading ?? false}
              placeholder={options.placeholder ?? ''}
              disabled={options.disabled ?? false}
              value={(values[name] as C | undefined) ?? null}
              options={choices}
              onChange={(value) =>
                options.onChoose && value !== null && value !== undefined ? options.onChoose(value) : set(name, value ?? null)
              }
            />
          )}
        </Field>
      );
    },
    /** A few choices, all of them shown. */
    segments: (
      name: keyof V & string,
      choices: { value: string | null; label: string }[],
      options: Options & { onChoose?: (value: string | null) => void } = {},
    ) => {
      const choose = options.onChoose ?? ((value: string | null) => set(name, value));
      form.words.set(name, choices);
      return (
        <Field {...frame(name, options)}>
          {({ id }) => (
            <Segmented
              id={id}
              aria-label={labels[name] ?? name}
              disabled={options.disabled ?? false}
              value={(values[name] as string | null) ?? NONE}
              options={choices.map(({ value, label }) => ({ value: value ?? NONE, label }))}
              onChange={(value) => choose(value === NONE ? null : value)}
            />
          )}
        </Field>
      );
    },
    date: (name: keyof V & string, options: Options = {}) => (
      <Field {...frame(name, options)}>
        {({ status, ...control }) => (
          <DatePicker
            {...control}
            {...(status === '' ? {} : { status })}
            allowClear={false}
            value={dayjs(String(values[name]))}
            onChange={(date) => set(name, date?.format('YYYY-MM-DD') ?? values[name])}
          />
        )}
      </Field>
    ),
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
    toggle: (name: keyof V & string, options: Options = {}) => (
      <Field {...frame(name, options)}>
        {({ id }) => (
          <span>
            <Switch
              id={id}
              aria-label={labels[name] ?? name}
              disabled={options.disabled ?? false}
              checked={Boolean(values[name])}
              onChange={(checked) => set(name, checked)}
            />
          </span>
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
export const choicesOf = <K extends string>(table: Record<K, Text>, say: (text: Text) => string) =>
  (Object.keys(table) as K[]).map((value) => ({ value, label: say(table[value]) })); // as: keys of that very table

/** Text of codes, such as serial numbers, which have no small letters. */
export const upper = (typed: string): string => typed.toUpperCase();
