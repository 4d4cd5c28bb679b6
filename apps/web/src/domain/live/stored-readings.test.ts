import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { expect, it } from 'vitest';
import { queryKeyOf } from '#core/api/hooks.ts';
import { isConcerned } from './stored-readings.ts';

const TODAY = [{ profile: 'lpa' as const, from: '2026-05-10', to: '2026-05-10' }];
const days = (from: string, to = from) => ({ from, to });

it('refetches the profile and the days of the stored readings, and the adjacent days, which share hours with them', () => {
  const profile = (name: string, day: string) => queryKeyOf(reading.profile, { profile: name }, { ...days(day), page: 1 });
  expect(isConcerned(profile('lpa', '2026-05-10'), TODAY)).toBe(true);
  expect(isConcerned(profile('lpa', '2026-05-09'), TODAY)).toBe(true);
  expect(isConcerned(profile('lpa', '2026-05-08'), TODAY)).toBe(false);
  expect(isConcerned(profile('lpb', '2026-05-10'), TODAY)).toBe(false);
  expect(isConcerned(queryKeyOf(gap.byDcu, undefined, { ...days('2026-05-01', '2026-05-31'), profile: 'lpa' }), TODAY)).toBe(true);
});

it('does not refetch freezes when profiles arrive, and refetches sums for all readings', () => {
  expect(isConcerned(queryKeyOf(reading.daily, undefined, days('2026-05-10')), TODAY)).toBe(false);
  expect(isConcerned(queryKeyOf(reading.daily, undefined, days('2026-05-10')), [{ ...days('2026-05-10'), profile: 'daily' }])).toBe(true);
  const year = { ...days('2026-01-01', '2026-12-31'), profile: 'monthly' };
  expect(isConcerned(queryKeyOf(gap.list, undefined, year), TODAY)).toBe(false);
  expect(isConcerned(queryKeyOf(gap.list, undefined, year), [{ ...days('2026-05-01'), profile: 'daily' }])).toBe(true);
  expect(isConcerned(queryKeyOf(dashboard.summary), TODAY)).toBe(true);
  expect(isConcerned(queryKeyOf(dcu.list), TODAY)).toBe(false);
});
