import { archive } from '../asset/archive.ts';
import { dcu } from '../asset/dcu.ts';
import { discovery } from '../asset/discovery.ts';
import { meter } from '../asset/meter.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';

/** Imports and exports of devices. */
export const dcuImport = importOf('dcu', '/assets/dcu');
/** Keys are imported by separate files, for registered devices only. */
export const dcuKeyImport = importOf('dcu-key', '/assets/dcu', 'keys');
export const dcuExport = exportOf('dcu', dcu.list);
export const meterImport = importOf('meter', '/assets/meter-asset-discovery');
export const meterKeyImport = importOf('meter-key', '/assets/meter-asset-discovery', 'keys');
export const meterExport = exportOf('meter', meter.assets);
export const discoveryExport = exportOf('discovered-meter', discovery.list);
export const bindingImport = importOf('binding', '/assets/archives-dispatch');
export const archiveExport = exportOf('archive', archive.list);
export const archiveSummaryExport = exportOf('archive-summary', archive.summary);
