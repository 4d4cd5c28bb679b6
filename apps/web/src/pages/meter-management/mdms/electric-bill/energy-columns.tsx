import { fill } from '@hes/contract/core/text.ts';
import { Num } from '#kit/basics/text.tsx';
import type { ListColumn } from '#kit/list/list-declaration.ts';
import { texts } from './messages.ts';

type Direction = 'plus' | 'minus';
const TARIFFS = [1, 2, 3, 4] as const;
type Tariff = `T${(typeof TARIFFS)[number]}`;
type Energies = Record<Direction | `${Direction}${Tariff}`, number | null>;

/** Total import or export. */
export const totalColumn = <R extends Energies>(key: Direction, strong: boolean): ListColumn<R> => ({
  key,
  title: texts[key],
  width: 108,
  align: 'right',
  value: (row) => row[key],
  unit: 'kWh',
  cell: (row) => <Num value={row[key]} decimals={2} strong={strong} />,
});

/** Import by tariff, then export by tariff. */
export const tariffColumns = <R extends Energies>(): ListColumn<R>[] =>
  (['plus', 'minus'] as const).flatMap((direction) =>
    TARIFFS.map((n): ListColumn<R> => {
      return {
        key: `${direction}T${n}`,
        title: fill(texts[`${direction}Tariff`], { n }),
        width: 132,
        align: 'right',
        value: (row) => row[`${direction}T${n}`],
        unit: 'kWh',
        decimals: 2,
      };
    }),
  );
