import type { energies } from '@hes/contract/analysis/bill.ts';
import type { ExportColumn } from '#transfer/export/define-export.ts';

type Consumption = Record<keyof typeof energies, number | null>;

/** Columns of consumption in the files of meters and of transformers. */
export const CONSUMPTION_COLUMNS: Record<keyof Consumption, ExportColumn<Consumption>> = {
  plus: { label: { en: 'Consumption +', zh: '正向电量' }, unit: 'kWh', cell: (row) => row.plus },
  minus: { label: { en: 'Consumption −', zh: '反向电量' }, unit: 'kWh', cell: (row) => row.minus },
  plusT1: { label: { en: '+ Tariff 1', zh: '正向费率1' }, unit: 'kWh', cell: (row) => row.plusT1 },
  plusT2: { label: { en: '+ Tariff 2', zh: '正向费率2' }, unit: 'kWh', cell: (row) => row.plusT2 },
  plusT3: { label: { en: '+ Tariff 3', zh: '正向费率3' }, unit: 'kWh', cell: (row) => row.plusT3 },
  plusT4: { label: { en: '+ Tariff 4', zh: '正向费率4' }, unit: 'kWh', cell: (row) => row.plusT4 },
  minusT1: { label: { en: '− Tariff 1', zh: '反向费率1' }, unit: 'kWh', cell: (row) => row.minusT1 },
  minusT2: { label: { en: '− Tariff 2', zh: '反向费率2' }, unit: 'kWh', cell: (row) => row.minusT2 },
  minusT3: { label: { en: '− Tariff 3', zh: '反向费率3' }, unit: 'kWh', cell: (row) => row.minusT3 },
  minusT4: { label: { en: '− Tariff 4', zh: '反向费率4' }, unit: 'kWh', cell: (row) => row.minusT4 },
};
