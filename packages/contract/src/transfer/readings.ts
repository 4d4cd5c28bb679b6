import { day } from '../core/page.ts';
import { route } from '../core/route.ts';
import { gap } from '../reading/gap.ts';
import { profileName, reading } from '../reading/reading.ts';
import { exportOf } from './export.ts';
import { importOf } from './import.ts';

/** Readings that go out as files, and those of the handheld that come in. */
export const dailyExport = exportOf('reading-daily', reading.daily);

/** The rows of a profile as a list with the profile among its filters: what the export walks through. */
export const profileRows = route({
  ...reading.profile,
  path: '/reading/profile',
  params: undefined,
  query: reading.profile.query.safeExtend({ profile: profileName, from: day, to: day }),
});
export const profileExport = exportOf('reading-profile', profileRows);
export const gapExport = exportOf('gap', gap.list);
export const completenessExport = exportOf('completeness', gap.byMeter);
export const manualReadingImport = importOf('manual-reading', '/meter/auto-meter-reading');
