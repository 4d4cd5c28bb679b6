import type { Column } from '#kit/table/data-table.tsx';
import { Num } from '#kit/basics/text.tsx';
import type { T } from './messages.ts';

type Direction = 'plus' | 'minus';
const TARIFFS = [1, 2, 3, 4] as const;
type Tariff = `T${(typeof TARIFFS)[number]}`;
export type Energies = Record<Direction | `${Direction}${Tariff}`, number | null>;

/** Total import or export. */
export const totalColumn = <R extends Energies>(t: T, key: Direction, strong: boolean): Column<R> => ({
  key,
  title: t(key),
  width: 108,
  align: 'right',
  value: (row) => row[key],
  unit: 'kWh',
  cell: (row) => <Num value={row[key]} decimals={2} strong={strong} />,
});

/** Import by tariff, then export by tariff. */
export const tariffColumns = <R extends Energies>(t: T): Column<R>[] =>
  (['plus', 'minus'] as const).flatMap((direction) =>
    TARIFFS.map((n): Column<R> => ({
      key: `${direction}T${n}`,
      title: t(`${direction}Tariff`, { n }),
      width: 132,
      align: 'right',
      value: (row) => row[`${direction}T${n}`],
      unit: 'kWh',
      decimals: 2,
    })),
  );
