import { health } from '@hes/contract/health/health.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { askDatabase } from './queries.ts';
import { processAgeMs } from '#platform/clock.ts';

/** `isReady` returns true once every part has started. */
export const healthRoutes = (isReady: () => boolean) =>
  implement(health, {
    get: async ({ ctx }) => {
      if (!isReady()) throw new ApiError('UNAVAILABLE');
      await askDatabase(ctx.db);
      return { status: 'ok' as const, uptimeSeconds: Math.round(processAgeMs() / 1000) };
    },
  });
