import { common } from '#shared/i18n/common.messages.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Num, Sn } from '#shared/ui/text.tsx';
import { isDaily, ITEMS, STATUS_BITS, valueOf, type Kind, type Row } from './data-kinds.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
type T = Translate<typeof texts>;

const hexWord = (word: number | null): string => (word === null ? '—' : `0x${word.toString(16).toUpperCase().padStart(4, '0')}`);

/** What a status word says, in words. */
const bitsOf = (word: number | null, t: T): string =>
  STATUS_BITS.filter(([bit]) => ((word ?? 0) & bit) !== 0)
    .map(([, text]) => t(text))
    .join(', ');

export const timeOf = (row: Row): string => (isDaily(row) ? row.freezeDate : dateTime(row.ts));

function widthOf(kind: Kind, key: string): number {
  if (kind === 'lpb') return 130;
  if (kind === 'daily' && key.includes('T')) return 126;
  return key.startsWith('sAvg') ? 214 : key.startsWith('pAvg') ? 200 : 190;
}

export function columnsOf(kind: Kind, t: T): Column<Row>[] {
  const values: Column<Row>[] = ITEMS[kind].map((item) => ({
    key: item.key,
    title: item.unit === '' ? t(item.key) : `${t(item.key)} (${item.unit})`,
    width: widthOf(kind, item.key),
    align: 'right',
    value: (row) => valueOf(row, item.key),
    cell: (row) => <Num value={valueOf(row, item.key)} decimals={item.decimals} strong={item.key === 'ePlus'} />,
  }));
  const quality: Column<Row>[] =
    kind === 'daily'
      ? [{ key: 'quality', title: t('quality'), width: 90, cell: (row) => (isDaily(row) ? t(`quality_${row.quality}`) : null) }]
      : [];
  return [
    { key: 'meterSn', title: t('sn'), width: 140, cell: (row) => <Sn sn={row.meterSn} /> },
    { key: 'time', title: t(kind === 'daily' ? 'freezeDate' : 'ts'), width: kind === 'daily' ? 128 : 160, cell: timeOf },
    ...values,
    {
      key: 'statusWord',
      title: t('statusWord'),
      width: 84,
      mono: true,
      value: (row) => row.statusWord,
      cell: (row) => <span title={bitsOf(row.statusWord, t)}>{hexWord(row.statusWord)}</span>,
    },
    ...quality,
    { key: 'source', title: t('source'), width: 106, cell: (row) => t(`source_${row.source}`) },
    { key: 'readAt', title: t('readAt'), width: 162, cell: (row) => dateTime(row.readAt) },
  ];
}
