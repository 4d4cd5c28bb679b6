import type { BillPart, BillPeriod, energies } from '@hes/contract/analysis/bill.ts';
import { say, type Locale, type Text } from '@hes/contract/core/text.ts';
import { BILL_FLAG_TEXT, BILL_STATUS_TEXT, PERIOD_STATE_TEXT } from '@hes/contract/states/bill.ts';
import type { Prices } from '#features/billing/price/queries.ts';
import { PdfPages } from '#platform/pdf/pdf-pages.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { findLine } from './queries.ts';

const T = {
  title: { en: 'Electricity statement', zh: '电量对账单' },
  period: { en: 'Period', zh: '账期' },
  meter: { en: 'Meter SN', zh: '电表编号' },
  customer: { en: 'Customer', zh: '用户' },
  customerNo: { en: 'Customer number', zh: '户号' },
  transformer: { en: 'Transformer', zh: '变压器' },
  ratio: { en: 'Ratio', zh: '倍率' },
  state: { en: 'State', zh: '账期状态' },
  status: { en: 'Data status', zh: '数据状态' },
  register: { en: 'Register', zh: '示数' },
  opening: { en: 'Opening reading', zh: '起始示数' },
  closing: { en: 'Closing reading', zh: '截止示数' },
  kwh: { en: 'Consumption (kWh)', zh: '电量 (kWh)' },
  price: { en: 'Price per kWh', zh: '单价（每 kWh）' },
  amount: { en: 'Amount', zh: '金额' },
  plus: { en: 'Import', zh: '正向有功' },
  minus: { en: 'Export', zh: '反向有功' },
  tariff: { en: 'Tariff {n}', zh: '费率{n}' },
  exchange: { en: 'Meters of this period', zh: '本期电表' },
  remarks: { en: 'Remarks', zh: '备注' },
  demand: { en: 'Highest demand (15 min)', zh: '最大需量（15分钟）' },
  total: { en: 'Total', zh: '合计' },
  draft: { en: 'Draft: this period is not published.', zh: '草稿：本账期尚未发布。' },
  made: { en: 'Made', zh: '生成时间' },
} satisfies Record<string, Text>;

export interface StatementParts {
  line: NonNullable<Awaited<ReturnType<typeof findLine>>> & { parts: BillPart[] };
  period: BillPeriod;
  prices: Prices | undefined;
  locale: Locale;
  timeZone: string;
  now: number;
}

const LEFT = 56;
const RIGHT = 539;
const ROW = 19;
const LABEL_WIDTH = 112;
const dash = '-';
const figure = (value: number | null, decimals: number, most = decimals): string =>
  value === null ? dash : value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: most });
/** Energy with the resolution of the registers, so that energy times price equals the amount. */
const kwhText = (kwh: number | null): string => figure(kwh, 3);

type Consumption = Pick<StatementParts['line'], keyof typeof energies>;

interface Charge {
  direction: 'plus' | 'minus';
  /** Null if the meter has no tariffs and the total is billed. */
  tariff: number | null;
  kwh: number;
  price: number | undefined;
}

/** Terms of the amount: tariffs, or the total if all prices are equal. With different prices a meter without tariffs has no amount. */
export function chargesOf(line: Consumption, prices: Pick<Prices, 'plus' | 'minus'> | undefined): Charge[] {
  const directions = [
    ['plus', line.plus, [line.plusT1, line.plusT2, line.plusT3, line.plusT4]],
    ['minus', line.minus, [line.minusT1, line.minusT2, line.minusT3, line.minusT4]],
  ] as const;
  return directions.flatMap(([direction, total, tariffs]) => {
    const perKwh = prices?.[direction];
    const flat = perKwh?.every((price) => price === perKwh[0]) ? perKwh[0] : undefined;
    const all: (Omit<Charge, 'kwh'> & { kwh: number | null })[] =
      flat !== undefined || tariffs.every((kwh) => kwh === null)
        ? [{ direction, tariff: null, kwh: total, price: flat }]
        : tariffs.map((kwh, k) => ({ direction, tariff: k + 1, kwh, price: perKwh?.[k] }));
    return all.flatMap(({ kwh, ...charge }) => (kwh === null || (direction === 'minus' && kwh === 0) ? [] : [{ ...charge, kwh }]));
  });
}

/** Statement of one line for the customer, on one page. */
export function statementOf({ line, period, prices, locale, timeZone, now }: StatementParts): Promise<Buffer> {
  const t = (key: keyof typeof T, params?: Record<string, string | number>) => say(T[key], locale, params);
  const page = new PdfPages();
  let y = 72;
  const down = (by = ROW) => (y += by);
  const pair = (label: string, value: string, x: number) => {
    page.text({ x, y, size: 9, text: label, isGrey: true });
    page.text({ x: x + LABEL_WIDTH, y, size: 10, text: value });
  };
  const row = (cells: string[], options: { isGrey?: boolean } = {}) => {
    const ends = [0, 260, 350, 445, RIGHT];
    cells.forEach((text, k) => page.text({ x: k === 0 ? LEFT : (ends[k] ?? RIGHT), y, size: 9.5, text, isRight: k > 0, ...options }));
    down();
  };
  page.text({ x: LEFT, y, size: 20, text: t('title') });
  page.text({ x: RIGHT, y, size: 11, text: `${period.firstDay} - ${period.lastDay}`, isRight: true });
  down(14);
  page.line(LEFT, RIGHT, y, 1.2);
  down(26);
  const head: [string, string][] = [
    [t('customer'), line.customerName ?? dash],
    [t('customerNo'), line.customerNo ?? dash],
    [t('meter'), line.sn],
    [t('transformer'), line.transformerName],
    [t('ratio'), String(line.ratio)],
    [t('state'), say(PERIOD_STATE_TEXT[period.state], locale)],
    [t('status'), say(BILL_STATUS_TEXT[line.status], locale)],
    [t('demand'), line.maxDemandKw === null ? dash : `${figure(line.maxDemandKw, 3)} kW`],
  ];
  head.forEach(([label, value], k) => {
    pair(label, value, k % 2 === 0 ? LEFT : 310);
    if (k % 2 === 1) down();
  });
  down(12);
  row(['', t('opening'), t('closing'), t('kwh'), ''], { isGrey: true });
  page.line(LEFT, RIGHT, y - 13);
  row([t('plus'), kwhText(line.opening), kwhText(line.closing), kwhText(line.plus), '']);
  row([t('minus'), '', '', kwhText(line.minus), '']);
  down(10);
  row(['', '', t('kwh'), t('price'), t('amount')], { isGrey: true });
  page.line(LEFT, RIGHT, y - 13);
  for (const { direction, tariff, kwh, price } of chargesOf(line, prices)) {
    const label = tariff === null ? t(direction) : `${t(direction)} · ${t('tariff', { n: tariff })}`;
    const amount = price === undefined ? dash : figure((direction === 'plus' ? 1 : -1) * kwh * price, 2);
    row([label, '', kwhText(kwh), price === undefined ? dash : figure(price, 4, 6), amount]);
  }
  page.line(LEFT, RIGHT, y - 13);
  page.text({ x: LEFT, y: y + 4, size: 12, text: t('total') });
  page.text({
    x: RIGHT,
    y: y + 4,
    size: 12,
    text: line.amount === null ? dash : `${figure(line.amount, 2)} ${line.currency ?? ''}`,
    isRight: true,
  });
  down(36);
  if (line.parts.length > 0) {
    row([t('exchange'), t('opening'), t('closing'), t('kwh'), ''], { isGrey: true });
    for (const part of line.parts) row([part.sn, kwhText(part.opening), kwhText(part.closing), kwhText(part.kwh), '']);
    down(10);
  }
  for (const flag of line.flags) {
    page.text({ x: LEFT, y, size: 9.5, text: `${t('remarks')}: ${say(BILL_FLAG_TEXT[flag], locale)}` });
    down(15);
  }
  if (period.state !== 'published') page.text({ x: LEFT, y: 780, size: 10, text: t('draft') });
  const local = new Date(now + new Zone(timeZone).offsetMs(now)).toISOString().slice(0, 16).replace('T', ' ');
  page.text({ x: LEFT, y: 800, size: 8, text: `${t('made')} ${local} (${timeZone})`, isGrey: true });
  return page.finish(`${t('title')} ${line.sn}`);
}
