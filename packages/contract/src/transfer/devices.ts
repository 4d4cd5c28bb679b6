import { importOf } from './import.ts';

/** Lists of devices that come in as files. */
export const dcuImport = importOf('dcu', '/assets/dcu');
export const meterImport = importOf('meter', '/assets/meter-asset-discovery');
export const bindingImport = importOf('binding', '/assets/archives-dispatch');
