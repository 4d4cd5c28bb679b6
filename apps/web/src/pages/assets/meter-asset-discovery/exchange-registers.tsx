import { otherRegisters, type OtherRegisters, type FrozenRegisters } from '@hes/contract/asset/meter.ts';
import { Button, InputNumber } from 'antd';
import { useState } from 'react';
import { Field } from '#kit/form/field.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

/** Registers have a resolution of 1 Wh. */
const KWH_DECIMALS = 3;
/** Four registers and their total are each truncated to their last digit. */
const ROUNDING_KWH = 0.1;
const TARIFFS = [1, 2, 3, 4] as const;
const OTHERS = Object.keys(otherRegisters.shape) as (keyof OtherRegisters)[]; // as: its own keys

/** The input fields of one meter; untouched fields are undefined. */
export interface Typed {
  plus: number | null | undefined;
  others: Partial<OtherRegisters>;
}
interface Shown {
  plus: number | null;
  others: OtherRegisters;
}

/** The values typed, and the values read for untouched fields. */
export function shownOf({ plus, others }: Typed, reading: FrozenRegisters | null, unread: number | null): Shown {
  const known = OTHERS.map((register) => [
    register,
    others[register] === undefined ? (reading?.others[register] ?? null) : others[register],
  ]);
  return {
    plus: plus === undefined ? (reading?.plus ?? unread) : plus,
    others: Object.fromEntries(known) as OtherRegisters, // as: one entry a key
  };
}

/** Directions whose tariffs are all known but do not add up to the total. */
export function sumsOff({ plus, others }: Shown): { direction: 'plus' | 'minus'; sum: number; total: number }[] {
  return (['plus', 'minus'] as const).flatMap((direction) => {
    const total = direction === 'plus' ? plus : others.minus;
    const tariffs = TARIFFS.map((n) => others[`${direction}T${n}`]);
    if (total === null || tariffs.includes(null)) return [];
    const sum = tariffs.reduce<number>((all, kwh) => all + (kwh ?? 0), 0);
    return Math.abs(sum - total) > ROUNDING_KWH ? [{ direction, sum, total }] : [];
  });
}

/** All registers except the total import, in the order of the meter's display. */
export function useRegisterNames(): { name: keyof OtherRegisters; label: string }[] {
  const t = useMessages(texts);
  const tariffsOf = (direction: 'plus' | 'minus') =>
    TARIFFS.map((n) => ({ name: `${direction}T${n}` as const, label: t(`${direction}Tariff`, { n }) }));
  return [...tariffsOf('plus'), { name: 'minus', label: t('minusTotal') }, ...tariffsOf('minus')];
}

interface ExchangeRegistersProps {
  /** Final registers of the old meter, or initial registers of the new one. */
  side: 'final' | 'initial';
  typed: Typed;
  shown: Shown;
  reading: FrozenRegisters | null;
  autoFocus: boolean;
  onChange: (typed: Typed) => void;
}

/** The total first; tariffs and the other direction on request. */
export function ExchangeRegisters({ side, typed, shown, reading, autoFocus, onChange }: ExchangeRegistersProps) {
  const t = useMessages(texts);
  const names = useRegisterNames();
  const [isOpened, setOpened] = useState<boolean>();
  const isOpen = isOpened ?? OTHERS.some((register) => shown.others[register] !== null);
  const grid = `${side}-registers`;
  const asRead = (isTouched: boolean) => (reading === null || isTouched ? undefined : t('asRead', { at: dateTime(reading.at) }));
  const field = ({ name, label }: { name: keyof OtherRegisters; label: string }) => (
    <Field key={name} name={`${side}.${name}`} label={t(`${side}Of`, { register: label })} help={asRead(typed.others[name] !== undefined)}>
      {({ status: _, ...control }) => (
        <InputNumber<number>
          {...control}
          style={{ width: '100%' }}
          min={0}
          precision={KWH_DECIMALS}
          value={shown.others[name]}
          onChange={(kwh) => onChange({ ...typed, others: { ...typed.others, [name]: kwh } })}
        />
      )}
    </Field>
  );
  return (
    <>
      <Field name={`${side}Kwh`} label={t(`${side}Kwh`)} required help={asRead(typed.plus !== undefined)}>
        {(control) => (
          <InputNumber<number>
            {...control}
            style={{ width: '100%' }}
            min={0}
            precision={KWH_DECIMALS}
            autoFocus={autoFocus}
            value={shown.plus}
            onChange={(plus) => onChange({ ...typed, plus })}
          />
        )}
      </Field>
      <div className={styles['registers']}>
        <Button
          type="link"
          size="small"
          aria-label={`${t(`${side}Kwh`)}: ${t('byTariff')}`}
          aria-expanded={isOpen}
          aria-controls={grid}
          onClick={() => setOpened(!isOpen)}
        >
          {t('byTariff')}
        </Button>
        <span className={styles['dim']}>{t('byTariffHelp')}</span>
        <div id={grid} hidden={!isOpen} className={styles['registerGrid']}>
          {isOpen ? names.map(field) : null}
        </div>
        <div role="status" className={styles['warn']}>
          {sumsOff(shown).map(({ direction, sum, total }) => (
            <p key={direction}>
              {t(direction === 'plus' ? 'sumOffPlus' : 'sumOffMinus', {
                sum: figure(sum, KWH_DECIMALS),
                total: figure(total, KWH_DECIMALS),
              })}
            </p>
          ))}
        </div>
      </div>
    </>
  );
}
