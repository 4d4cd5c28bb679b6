import { InputNumber, Radio, Select } from 'antd';
import type { ReactNode } from 'react';
import styles from './schedule-builder.module.css';

interface ModeRowProps {
  value: number;
  label: string;
  isChosen: boolean;
  /** Inputs of the mode, within its label. */
  children?: ReactNode;
  /** Controls that only the chosen mode shows. */
  below?: ReactNode;
}

/** One mode of a field: a label with its inputs inside. */
export function ModeRow({ value, label, isChosen, children, below }: ModeRowProps) {
  return (
    <div className={styles['mode']} data-chosen={isChosen || undefined} data-mode={value}>
      <div className={styles['line']}>
        <Radio value={value} aria-label={label} />
        {children ?? <span className={styles['word']}>{label}</span>}
      </div>
      {isChosen && below ? <div className={styles['below']}>{below}</div> : null}
    </div>
  );
}

interface NumberInputProps {
  label: string;
  value: number;
  bounds: readonly [number, number];
  onChange: (value: number) => void;
}

/** An integer within bounds; invalid input keeps the previous value. */
export function NumberInput({ label, value, bounds: [min, max], onChange }: NumberInputProps) {
  return (
    <InputNumber
      className={styles['number'] ?? ''}
      aria-label={label}
      min={min}
      max={max}
      precision={0}
      value={value}
      onChange={(next) => {
        if (typeof next === 'number') onChange(next);
      }}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: number;
  names: readonly string[];
  onChange: (value: number) => void;
}

/** A choice by name; values start at 1. */
export function Choice({ label, value, names, onChange }: ChoiceProps) {
  return (
    <Select
      className={styles['choice'] ?? ''}
      aria-label={label}
      value={value}
      options={names.map((name, index) => ({ value: index + 1, label: name }))}
      onChange={onChange}
    />
  );
}

interface ChipsProps {
  label: string;
  values: readonly number[];
  chosen: readonly number[];
  show?: (value: number) => string;
  columns: number;
  onChange: (chosen: number[]) => void;
}

/** Values that can be switched on and off. */
export function Chips({ label, values, chosen, show = String, columns, onChange }: ChipsProps) {
  const on = new Set(chosen);
  return (
    <div className={styles['chips']} role="group" aria-label={label} style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={on.has(value)}
          onClick={() => onChange(on.has(value) ? chosen.filter((other) => other !== value) : [...chosen, value].toSorted((a, b) => a - b))}
        >
          {show(value)}
        </button>
      ))}
    </div>
  );
}
