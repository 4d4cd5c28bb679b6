import type { Text } from '@hes/contract/core/text.ts';
import { isLoaded, LOADED_TEXT } from '@hes/contract/states/loaded.ts';
import { READING_SOURCE_TEXT, statusWordText } from '@hes/contract/states/reading.ts';
import { isFreeze } from '@hes/contract/reading/reading.ts';
import { common } from '#core/i18n/common.messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM, QUALITY } from '#domain/states/tables.ts';
import { isDaily, ITEMS, valueOf, type Kind, type Row } from './data-kinds.ts';
import { messages } from './messages.ts';
import type { RowState } from './row-state.ts';

export const texts = { ...common, ...messages };
export type T = Translate<typeof texts>;

const timeOf = (row: Row): string => (isDaily(row) ? row.freezeDate : dateTime(row.ts));

/** Headings of the time column; slots are headed "Time". */
const TIMES: Partial<Record<Kind, 'freezeDate' | 'monthFreezeDate'>> = { daily: 'freezeDate', monthly: 'monthFreezeDate' };

function widthOf(kind: Kind, key: string): number {
  if (kind === 'lpb') return 130;
  if (isFreeze(kind) && key.includes('T')) return 116;
  return key.startsWith('sAvg') ? 214 : key.startsWith('pAvg') ? 200 : isFreeze(kind) ? 150 : 190;
}

export function columnsOf(kind: Kind, t: T, say: (text: Text) => string, state: RowState): Column<Row>[] {
  const values: Column<Row>[] = ITEMS[kind].map((item) => ({
    key: item.key,
    title: say(item.label),
    width: widthOf(kind, item.key),
    align: 'right',
    value: (row) => valueOf(row, item.key),
    unit: item.unit,
    decimals: item.decimals,
  }));
  return [
    { key: 'meterSn', title: t('sn'), width: 140, cell: (row) => <StatusLink kind="meter" id={row.meterId} sn={row.meterSn} /> },
    { key: 'time', title: t(TIMES[kind] ?? 'ts'), width: kind === 'daily' ? 116 : 160, cell: timeOf },
    { key: 'reading', title: t('readingState'), width: 132, cell: (row) => <StateOf sign={ITEM[row.reading]} /> },
    {
      key: 'quality',
      title: t('quality'),
      width: 170,
      cell: (row) => (
        <span title={state.sentence(row)}>
          <StateOf sign={QUALITY[row.quality]} extra={state.why(row) && `· ${state.why(row)}`} />
        </span>
      ),
    },
    ...values,
    {
      key: 'statusWord',
      title: t('statusWord'),
      width: 84,
      mono: true,
      value: (row) => row.statusWord,
      cell: (row) => <span title={state.marks(row)}>{row.statusWord === null ? '—' : statusWordText(row.statusWord)}</span>,
    },
    {
      key: 'source',
      title: t('source'),
      width: 106,
      cell: (row) => (row.source === null ? '—' : say(isLoaded(row.traceId) ? LOADED_TEXT : READING_SOURCE_TEXT[row.source])),
    },
    { key: 'readAt', title: t('readAt'), width: 162, cell: (row) => (row.readAt === null ? '—' : dateTime(row.readAt)) },
  ];
}
