import { importRoutes } from '#transfer/import/routes.ts';
import { dcuKeyList, meterKeyList } from './import-keys.ts';

export const keyRoutes = [...importRoutes(dcuKeyList), ...importRoutes(meterKeyList)];
