import { dcuType } from '../asset/dcu-type.ts';
import { level } from '../asset/level.ts';
import { meterType } from '../asset/meter-type.ts';
import { supplier } from '../asset/supplier.ts';
import { transformer } from '../asset/transformer.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';

/** Imports and exports of master data of assets. */
export const levelImport = importOf('level', '/assets/network');
export const levelExport = exportOf('level', level.list);
export const supplierImport = importOf('supplier', '/assets/supplier-management');
export const supplierExport = exportOf('supplier', supplier.list);
export const dcuTypeExport = exportOf('dcu-type', dcuType.list);
export const meterTypeExport = exportOf('meter-type', meterType.list);
export const transformerImport = importOf('transformer', '/assets/transformer');
export const transformerExport = exportOf('transformer', transformer.list);
