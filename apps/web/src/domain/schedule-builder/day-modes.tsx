import { BOUNDS, DAY_BOUNDS, DAY_MODE, type ScheduleSettings } from '@hes/contract/schedule/settings.ts';
import { Button, Radio } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import { Chips, Choice, ModeRow, NumberInput } from './mode-row.tsx';
import styles from './schedule-builder.module.css';
import { numbersOf } from './unit-modes.tsx';
import { useWeekdays } from './use-weekdays.ts';

type Days = Pick<ScheduleSettings, 'day' | 'week'>;

interface DayModesProps extends Days {
  onChange: (change: { day?: Partial<Days['day']>; week?: Partial<Days['week']> }) => void;
}

/** The eleven modes of the day field; weekday modes are stored with the week. */
export function DayModes({ day, week, onChange }: DayModesProps) {
  const t = useMessages(messages);
  const weekdays = useWeekdays();
  const nths = [t('nth1'), t('nth2'), t('nth3'), t('nth4'), t('nth5')];
  const is = (mode: number) => ({ value: mode, isChosen: day.mode === mode });
  const inDay = (mode: number, change: Partial<Days['day']>) => onChange({ day: { mode, ...change } });
  const inWeek = (mode: number, change: Partial<Days['week']>) => onChange({ day: { mode }, week: change });
  return (
    <Radio.Group
      className={styles['modes'] ?? ''}
      value={day.mode}
      onChange={(event) => onChange({ day: { mode: Number(event.target.value) } })}
    >
      <ModeRow {...is(DAY_MODE.every)} label={t('everyDay')} />
      <ModeRow {...is(DAY_MODE.weeksFrom)} label={`${t('every')} ${t('weeksFrom')}`}>
        <span className={styles['word']}>{t('every')}</span>
        <NumberInput
          label={t('interval')}
          value={week.increment}
          bounds={BOUNDS.week.increment}
          onChange={(increment) => inWeek(DAY_MODE.weeksFrom, { increment })}
        />
        <span>{t('weeksFrom')}</span>
        <Choice label={t('startWeekday')} value={week.start} names={weekdays} onChange={(start) => inWeek(DAY_MODE.weeksFrom, { start })} />
        {day.mode === DAY_MODE.weeksFrom ? <small>{t('weeksNote')}</small> : null}
      </ModeRow>
      <ModeRow {...is(DAY_MODE.daysFrom)} label={`${t('every')} ${t('daysFrom')}`}>
        <span className={styles['word']}>{t('every')}</span>
        <NumberInput
          label={t('interval')}
          value={day.increment}
          bounds={BOUNDS.day.increment}
          onChange={(increment) => inDay(DAY_MODE.daysFrom, { increment })}
        />
        <span>{t('daysFrom')}</span>
        <NumberInput
          label={t('start')}
          value={day.start}
          bounds={BOUNDS.day.start}
          onChange={(start) => inDay(DAY_MODE.daysFrom, { start })}
        />
      </ModeRow>
      <ModeRow
        {...is(DAY_MODE.weekdays)}
        label={t('specificWeekdays')}
        below={
          <>
            <Chips
              label={t('specificWeekdays')}
              values={numbersOf(BOUNDS.week.specific)}
              chosen={week.specific}
              columns={7}
              show={(value) => weekdays[value - 1] ?? ''}
              onChange={(specific) => inWeek(DAY_MODE.weekdays, { specific })}
            />
            <Button
              size="small"
              type="link"
              disabled={week.specific.length === 0}
              onClick={() =>
                inWeek(DAY_MODE.weekdays, { specific: numbersOf(BOUNDS.week.specific).filter((day) => !week.specific.includes(day)) })
              }
            >
              {t('allOthers')}
            </Button>
          </>
        }
      />
      <ModeRow
        {...is(DAY_MODE.days)}
        label={t('specificDays')}
        below={
          <Chips
            label={t('specificDays')}
            values={numbersOf(BOUNDS.day.specific)}
            chosen={day.specific}
            columns={12}
            onChange={(specific) => inDay(DAY_MODE.days, { specific })}
          />
        }
      />
      <ModeRow {...is(DAY_MODE.last)} label={t('lastDay')} />
      <ModeRow {...is(DAY_MODE.lastWorkday)} label={t('lastWorkday')} />
      <ModeRow {...is(DAY_MODE.lastWeekday)} label={`${t('last')} ${t('weekday')}`}>
        <span className={styles['word']}>{t('last')}</span>
        <Choice
          label={t('whichWeekday')}
          value={day.lastWeekday}
          names={weekdays}
          onChange={(lastWeekday) => inDay(DAY_MODE.lastWeekday, { lastWeekday })}
        />
        <span>{t('ofMonth')}</span>
      </ModeRow>
      <ModeRow {...is(DAY_MODE.beforeEnd)} label={t('beforeEnd')}>
        <NumberInput
          label={t('beforeEnd')}
          value={day.daysBeforeEnd}
          bounds={DAY_BOUNDS.daysBeforeEnd}
          onChange={(daysBeforeEnd) => inDay(DAY_MODE.beforeEnd, { daysBeforeEnd })}
        />
        <span className={styles['word']}>{t('beforeEnd')}</span>
      </ModeRow>
      <ModeRow {...is(DAY_MODE.nearest)} label={t('nearest')}>
        <span className={styles['word']}>{t('nearest')}</span>
        <NumberInput
          label={t('nearest')}
          value={day.nearestWeekday}
          bounds={DAY_BOUNDS.nearestWeekday}
          onChange={(nearestWeekday) => inDay(DAY_MODE.nearest, { nearestWeekday })}
        />
      </ModeRow>
      <ModeRow {...is(DAY_MODE.nth)} label={`${t('the')} ${t('whichOf')}`}>
        <span className={styles['word']}>{t('the')}</span>
        <Choice
          label={t('whichOf')}
          value={week.nth}
          names={nths}
          onChange={(nth) => onChange({ day: { mode: DAY_MODE.nth, nthWeekday: nth }, week: { nth } })}
        />
        <Choice label={t('whichWeekday')} value={week.nthDay} names={weekdays} onChange={(nthDay) => inWeek(DAY_MODE.nth, { nthDay })} />
        <span>{t('ofMonth')}</span>
      </ModeRow>
    </Radio.Group>
  );
}
