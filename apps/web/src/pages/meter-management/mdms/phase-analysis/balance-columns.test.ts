import type { BalanceSlot, PhaseBalance } from '@hes/contract/analysis/phase.ts';
import { expect, it } from 'vitest';
import { columnsOf, QUANTITIES, seriesOf } from './balance-columns.tsx';
import type { T } from './messages.ts';

const t = ((key: string) => key) as T; // the name of a text is enough to tell columns apart
const slotOf = (k: number): BalanceSlot => ({
  at: new Date(k * 900_000).toISOString(),
  current: [k, k + 0.25, k === 3 ? null : k + 0.5],
  neutral: k / 10,
  voltage: [230 + k, 231 + k, 229 + k],
  power: [k / 3, k / 4, k / 5],
  currentUnbalancePercent: k === 3 ? null : k * 2,
  voltageUnbalancePercent: k / 100,
});

it('S-029: the chart of a day draws what its table holds, quantity by quarter', () => {
  const slots = Array.from({ length: 8 }, (_, k) => slotOf(k));
  const limits = { warningPercent: 15, seriousPercent: 25, lowV: 198, highV: 235 };
  const data = { slots, limits } as PhaseBalance; // as: only these fields are rendered
  const table = columnsOf(t)
    .filter((column) => column.value !== undefined)
    .map((column) => slots.map((slot) => column.value?.(slot)));
  const drawn = QUANTITIES.flatMap((quantity) => seriesOf(t, data, quantity))
    .map(({ values }) => values)
    .filter((values) => values.some((value) => value !== values[0]));
  const inOrder = (series: unknown[]) => series.map((values) => JSON.stringify(values)).toSorted((a, b) => a.localeCompare(b));
  expect(inOrder(drawn)).toEqual(inOrder(table));
});
