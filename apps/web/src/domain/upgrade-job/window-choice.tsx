import type { UpgradeWindow } from '@hes/contract/upgrade/job.ts';
import { Radio, TimePicker } from 'antd';
import dayjs from 'dayjs';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import styles from './window-choice.module.css';

const NIGHT: UpgradeWindow = { from: '22:00', to: '05:00' };
const TIME = 'HH:mm';

interface WindowChoiceProps {
  /** Null: at any time. */
  value: UpgradeWindow | null;
  onChange: (window: UpgradeWindow | null) => void;
}

/** The hours of the day in which an upgrade may run. */
export function WindowChoice({ value, onChange }: WindowChoiceProps) {
  const t = useMessages(messages);
  return (
    <>
      <Radio.Group
        className={styles['pick'] ?? ''}
        value={value === null ? 'any' : 'between'}
        options={[
          { value: 'any', label: t('anyTime') },
          { value: 'between', label: t('onlyBetween') },
        ]}
        onChange={(event) => onChange(event.target.value === 'any' ? null : NIGHT)}
      />
      {value ? (
        <TimePicker.RangePicker
          format={TIME}
          order={false}
          aria-label={t('window')}
          value={[dayjs(`2000-01-01T${value.from}`), dayjs(`2000-01-01T${value.to}`)]}
          onChange={(times) => onChange({ from: times?.[0]?.format(TIME) ?? NIGHT.from, to: times?.[1]?.format(TIME) ?? NIGHT.to })}
        />
      ) : null}
    </>
  );
}
