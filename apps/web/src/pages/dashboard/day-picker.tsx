import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { Controls } from '#kit/theme/controls.tsx';

const FORMAT = 'YYYY-MM-DD';

interface DayPickerProps {
  label: string;
  placeholder: string;
  day: string | undefined;
  last: string;
  /** The plain field had the focus when the calendar loaded. */
  isAwaited: boolean;
  onChange: (day: string | undefined) => void;
}

/** A date field with a calendar. */
export function DayPicker({ label, placeholder, day, last, isAwaited, onChange }: DayPickerProps) {
  return (
    <Controls>
      <DatePicker
        aria-label={label}
        placeholder={placeholder}
        value={day === undefined ? null : dayjs(day)}
        maxDate={dayjs(last)}
        autoFocus={isAwaited}
        defaultOpen={isAwaited}
        onChange={(chosen: dayjs.Dayjs | null) => onChange(chosen?.format(FORMAT))}
      />
    </Controls>
  );
}
