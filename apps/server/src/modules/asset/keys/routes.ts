import { importRoutes } from '#modules/import/import/api.ts';
import { dcuKeyList, meterKeyList } from './import-keys.ts';

export const keyRoutes = [...importRoutes(dcuKeyList), ...importRoutes(meterKeyList)];
