import { Calendar } from 'lucide-react';
import { useEffect, useState, type ComponentProps, type ComponentType } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { localDay, serverNow } from '#core/time/format.ts';
import type { DayPicker } from './day-picker.tsx';
import { texts } from './texts.ts';
import { useChoice } from './use-cards.ts';
import styles from './cards.module.css';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Picker = ComponentType<ComponentProps<typeof DayPicker>>;

/**
 * The day of the cards. Live states, such as online DCUs, always show the present. The calendar is large: it loads on hover or focus and
 * replaces this field, unless the user has begun to type.
 */
export function DateFilter() {
  const t = useMessages(texts);
  const [{ date }, setUrl] = useChoice();
  const [isWanted, setIsWanted] = useState(false);
  const [typed, setTyped] = useState('');
  const [isFocused, setFocused] = useState(false);
  const [Picker, setPicker] = useState<Picker>();
  const isNeeded = isWanted || date !== undefined;
  useEffect(() => {
    if (!isNeeded) return;
    void import('./day-picker.tsx').then(
      ({ DayPicker }) => setPicker(() => DayPicker),
      // Without the calendar the field still accepts typed dates.
      () => undefined,
    );
  }, [isNeeded]);
  const today = localDay(serverNow());
  const choose = (day: string | undefined) => {
    setTyped('');
    setUrl({ date: day === today ? undefined : day });
  };
  const want = () => setIsWanted(true);
  if (Picker && typed === '')
    return <Picker label={t('day')} placeholder={t('today')} day={date} last={today} isAwaited={isFocused} onChange={choose} />;
  const isDay = DAY.test(typed) && !Number.isNaN(Date.parse(typed)) && typed <= today;
  return (
    <span className={styles['day']} onPointerEnter={want}>
      <input
        aria-label={t('day')}
        placeholder={t('today')}
        autoComplete="off"
        size={12}
        value={typed === '' ? (date ?? '') : typed}
        onFocus={() => {
          want();
          setFocused(true);
        }}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isDay) choose(typed);
        }}
        onBlur={() => {
          setFocused(false);
          if (isDay) choose(typed);
          else setTyped('');
        }}
      />
      <Calendar size={14} aria-hidden="true" />
    </span>
  );
}
