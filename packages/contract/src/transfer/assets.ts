import { certificate } from '../asset/certificate.ts';
import { dcuType } from '../asset/dcu-type.ts';
import { level } from '../asset/level.ts';
import { meterType } from '../asset/meter-type.ts';
import { supplier } from '../asset/supplier.ts';
import { transformer } from '../asset/transformer.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Imports and exports of master data of assets. */
export const levelImport = importOf('level', PAGE_PATH.network);
export const levelExport = exportOf('level', level.list);
export const supplierImport = importOf('supplier', PAGE_PATH.suppliers);
export const supplierExport = exportOf('supplier', supplier.list);
export const dcuTypeExport = exportOf('dcu-type', dcuType.list);
export const meterTypeExport = exportOf('meter-type', meterType.list);
export const transformerImport = importOf('transformer', PAGE_PATH.transformers);
export const transformerExport = exportOf('transformer', transformer.list);
export const certificateExport = exportOf('certificate', certificate.list);
