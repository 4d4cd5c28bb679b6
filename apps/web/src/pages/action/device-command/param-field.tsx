import type { ParamSchema } from '@hes/contract/action/command-params.ts';
import { Checkbox, Input, InputNumber, Select } from 'antd';
import { useId } from 'react';
import styles from './device-command.module.css';

interface ParamFieldProps {
  label: string;
  schema: ParamSchema;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** An input for one parameter, by its schema. */
export function ParamField({ label, schema, value, onChange }: ParamFieldProps) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <Control id={id} {...{ schema, value, onChange }} />
    </div>
  );
}

function Control({ id, schema, value, onChange }: Omit<ParamFieldProps, 'label'> & { id: string }) {
  if (schema.type === 'boolean') return <Checkbox id={id} checked={value === true} onChange={(event) => onChange(event.target.checked)} />;
  if (schema.enum !== undefined)
    return (
      <Select
        id={id}
        value={typeof value === 'string' ? value : undefined}
        options={schema.enum.map((option) => ({ value: option, label: option }))}
        onChange={onChange}
      />
    );
  if (schema.type === 'integer' || schema.type === 'number')
    return (
      <InputNumber
        id={id}
        min={schema.minimum ?? Number.MIN_SAFE_INTEGER}
        max={schema.maximum ?? Number.MAX_SAFE_INTEGER}
        precision={schema.type === 'integer' ? 0 : 3}
        value={typeof value === 'number' ? value : null}
        onChange={(number) => onChange(number ?? undefined)}
      />
    );
  return (
    <Input
      id={id}
      value={typeof value === 'string' ? value : ''}
      {...(schema.maxLength === undefined ? {} : { maxLength: schema.maxLength })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
