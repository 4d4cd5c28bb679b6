import type { BalanceSlot, PhaseBalance } from '@hes/contract/analysis/phase.ts';
import type { Series } from '#kit/chart/line-chart.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { hourMinute } from '#core/time/format.ts';
import { Num } from '#kit/basics/text.tsx';
import type { T } from './messages.ts';

export const QUANTITIES = ['current', 'voltage', 'power', 'unbalance'] as const;
type Quantity = (typeof QUANTITIES)[number];
export const UNITS: Record<Quantity, { unit: string; decimals: number }> = {
  current: { unit: 'A', decimals: 1 },
  voltage: { unit: 'V', decimals: 1 },
  power: { unit: 'kW', decimals: 2 },
  unbalance: { unit: '%', decimals: 1 },
};
const PHASES = [
  ['phaseA', 'orange'],
  ['phaseB', 'teal'],
  ['phaseC', 'violet'],
] as const;
/** The chart shows the same values as the table below. */
export function seriesOf(t: T, data: PhaseBalance, quantity: Quantity): Series[] {
  const level = (label: string, value: number): Series => ({ label, colour: 'reference', values: data.slots.map(() => value) });
  if (quantity === 'unbalance')
    return [
      { label: t('currentUnbalance'), colour: 'primary', values: data.slots.map((slot) => slot.currentUnbalancePercent) },
      { label: t('voltageUnbalance'), colour: 'teal', values: data.slots.map((slot) => slot.voltageUnbalancePercent) },
      level(t('warningLimit'), data.limits.warningPercent),
      level(t('seriousLimit'), data.limits.seriousPercent),
    ];
  const phases = PHASES.map(([label, colour], at) => ({
    label: t(label),
    colour,
    values: data.slots.map((slot) => slot[quantity][at] ?? null),
  }));
  if (quantity === 'current')
    return [...phases, { label: t('neutral'), colour: 'reference', values: data.slots.map((slot) => slot.neutral) }];
  return quantity === 'voltage' ? [...phases, level(t('lowerLimit'), data.limits.lowV), level(t('upperLimit'), data.limits.highV)] : phases;
}

export function columnsOf(t: T): Column<BalanceSlot>[] {
  const three = (key: 'current' | 'voltage' | 'power', letter: string, unit: string, decimals: number) =>
    PHASES.map(([, ,], at): Column<BalanceSlot> => ({
      key: `${key}${at}`,
      title: `${letter}${'ABC'[at]} (${unit})`,
      width: 78,
      align: 'right',
      value: (slot) => slot[key][at],
      cell: (slot) => <Num value={slot[key][at]} decimals={decimals} />,
    }));
  const percent = (key: 'currentUnbalancePercent' | 'voltageUnbalancePercent', title: string): Column<BalanceSlot> => ({
    key,
    title: `${title} (%)`,
    width: 168,
    align: 'right',
    value: (slot) => slot[key],
    cell: (slot) => <Num value={slot[key]} decimals={1} />,
  });
  return [
    { key: 'at', title: t('time'), width: 76, cell: (slot) => hourMinute(slot.at) },
    ...three('current', 'I', 'A', 1),
    {
      key: 'neutral',
      title: 'IN (A)',
      width: 78,
      align: 'right',
      value: (slot) => slot.neutral,
      cell: (slot) => <Num value={slot.neutral} decimals={1} />,
    },
    ...three('voltage', 'U', 'V', 1),
    ...three('power', 'P', 'kW', 2),
    percent('currentUnbalancePercent', t('currentUnbalance')),
    percent('voltageUnbalancePercent', t('voltageUnbalance')),
  ];
}
