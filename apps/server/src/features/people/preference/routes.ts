import { MAX_PREFERENCES, preference } from '@hes/contract/manager/preference.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { countOthers, findPreferences, forgetPreference, storePreference } from './queries.ts';

export const preferenceRoutes = implement(preference, {
  list: async ({ ctx, user }) => ({ items: await findPreferences(ctx.db, user.id) }),
  save: async ({ ctx, user, body: { key, value } }) => {
    if (value === null || value === undefined) {
      await forgetPreference(ctx.db, user.id, key);
      return;
    }
    if ((await countOthers(ctx.db, user.id, key)) >= MAX_PREFERENCES) throw new ApiError('NOTHING_TO_DO');
    await storePreference(ctx.db, user.id, key, value, new Date(ctx.clock.now()));
  },
});
