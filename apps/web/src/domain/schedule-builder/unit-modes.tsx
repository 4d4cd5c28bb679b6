import { BOUNDS, MODE, type PlainSettings, type PlainUnit } from '@hes/contract/schedule/settings.ts';
import { Radio } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import { Chips, ModeRow, NumberInput } from './mode-row.tsx';
import styles from './schedule-builder.module.css';

const WORDS = {
  second: { every: 'everySecond', from: 'secondsFrom' },
  minute: { every: 'everyMinute', from: 'minutesFrom' },
  hour: { every: 'everyHour', from: 'hoursFrom' },
  month: { every: 'everyMonth', from: 'monthsFrom' },
  year: { every: 'everyYear', from: 'yearsFrom' },
} as const;
const COLUMNS: Record<PlainUnit, number> = { second: 12, minute: 12, hour: 12, month: 6, year: 10 };

export const numbersOf = ([low, high]: readonly [number, number]): number[] =>
  Array.from({ length: high - low + 1 }, (_, index) => low + index);
const twoDigits = (value: number): string => String(value).padStart(2, '0');

interface UnitModesProps {
  unit: PlainUnit;
  settings: PlainSettings;
  onChange: (change: Partial<PlainSettings>) => void;
}

/** The four modes of seconds, minutes, hours, months and years. */
export function UnitModes({ unit, settings, onChange }: UnitModesProps) {
  const t = useMessages(messages);
  const bounds = BOUNDS[unit];
  const number = (field: 'increment' | 'start' | 'rangeStart' | 'rangeEnd', label: string) => (
    <NumberInput
      label={label}
      value={settings[field]}
      bounds={bounds[field]}
      onChange={(value) => onChange({ [field]: value, mode: field.startsWith('range') ? MODE.range : MODE.interval })}
    />
  );
  return (
    <Radio.Group
      className={styles['modes'] ?? ''}
      value={settings.mode}
      onChange={(event) => onChange({ mode: Number(event.target.value) })}
    >
      <ModeRow value={MODE.every} label={t(WORDS[unit].every)} isChosen={settings.mode === MODE.every} />
      <ModeRow value={MODE.interval} label={t('interval')} isChosen={settings.mode === MODE.interval}>
        <span className={styles['word']}>{t('every')}</span>
        {number('increment', t('interval'))}
        <span>{t(WORDS[unit].from)}</span>
        {number('start', t('start'))}
      </ModeRow>
      <ModeRow
        value={MODE.specific}
        label={t('specific')}
        isChosen={settings.mode === MODE.specific}
        below={
          <Chips
            label={t('specific')}
            values={numbersOf(bounds.specific)}
            chosen={settings.specific}
            columns={COLUMNS[unit]}
            show={unit === 'year' || unit === 'month' ? String : twoDigits}
            onChange={(specific) => onChange({ specific })}
          />
        }
      />
      <ModeRow value={MODE.range} label={t('between')} isChosen={settings.mode === MODE.range}>
        <span className={styles['word']}>{t('between')}</span>
        {number('rangeStart', t('rangeStart'))}
        <span>{t('and')}</span>
        {number('rangeEnd', t('rangeEnd'))}
      </ModeRow>
    </Radio.Group>
  );
}
