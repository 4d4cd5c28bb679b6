import { day } from '../core/page.ts';
import { route } from '../core/route.ts';
import { gap } from '../reading/gap.ts';
import { profileName, reading } from '../reading/reading.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Exports of readings, and the import of readings from handhelds. */
export const dailyExport = exportOf('reading-daily', reading.daily);

/** List of profile rows with the profile as a filter, for the export. */
export const profileRows = route({
  ...reading.profile,
  path: '/reading/profile',
  params: undefined,
  query: reading.profile.query.safeExtend({ profile: profileName, from: day, to: day }),
});
export const profileExport = exportOf('reading-profile', profileRows);
export const gapExport = exportOf('gap', gap.list);
export const completenessExport = exportOf('completeness', gap.byMeter);
export const manualReadingImport = importOf('manual-reading', PAGE_PATH.readings);
