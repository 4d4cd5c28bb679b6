import { archive } from '../asset/archive.ts';
import { dcu } from '../asset/dcu.ts';
import { discovery } from '../asset/discovery.ts';
import { meter } from '../asset/meter.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Imports and exports of devices. */
export const dcuImport = importOf('dcu', PAGE_PATH.dcus);
/** Keys are imported by separate files, for registered devices only. */
export const dcuKeyImport = importOf('dcu-key', PAGE_PATH.dcus, 'keys');
export const dcuExport = exportOf('dcu', dcu.list);
export const meterImport = importOf('meter', PAGE_PATH.meterAssets);
export const meterKeyImport = importOf('meter-key', PAGE_PATH.meterAssets, 'keys');
/** Meters with their keys and their DCU: a delivery that is installed and bound in one file. */
export const installationImport = importOf('installation', PAGE_PATH.meterAssets, 'keys');
export const meterExport = exportOf('meter', meter.assets);
export const discoveryExport = exportOf('discovered-meter', discovery.list);
export const bindingImport = importOf('binding', PAGE_PATH.archives);
export const archiveExport = exportOf('archive', archive.list);
export const archiveSummaryExport = exportOf('archive-summary', archive.summary);
