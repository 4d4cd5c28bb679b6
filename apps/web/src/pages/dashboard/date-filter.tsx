import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { localDay, serverNow } from '#shared/time/format.ts';
import { texts } from './texts.ts';
import { useChoice } from './use-cards.ts';

const FORMAT = 'YYYY-MM-DD';

/** The day the cards are about. What has no past, as who is online, stays what it is now. */
export function DateFilter() {
  const t = useMessages(texts);
  const [{ date }, setUrl] = useChoice();
  const today = localDay(serverNow());
  return (
    <DatePicker
      aria-label={t('day')}
      placeholder={t('today')}
      value={date === undefined ? null : dayjs(date)}
      maxDate={dayjs(today)}
      onChange={(chosen: dayjs.Dayjs | null) => {
        const day = chosen?.format(FORMAT);
        setUrl({ date: day === today ? undefined : day });
      }}
    />
  );
}
