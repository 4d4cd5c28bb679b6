import { LOCALES } from '@hes/contract/core/text.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { limitKeyOf } from '#platform/address.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { findLocalSignIn } from '#features/people/emergency/emergency-queries.ts';
import { offeredProviders } from '#features/people/external/sign-in.ts';
import type { Nonces } from '#db/nonces.ts';

export interface WhiteListParts {
  sliders: Nonces;
  /** Rate limit by IP address. */
  visits: RateLimiter;
  warnings: string[];
  logo: { marker: string; address: string };
}

export const whiteListRoutes = ({ sliders, visits, warnings, logo }: WhiteListParts) =>
  implement(whiteList, {
    api: async ({ ctx, wire }) => {
      const seconds = visits.take(limitKeyOf(wire.ip));
      if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
      const { nonce, expiresAt } = sliders.issue();
      return {
        title: { 'zh-CN': '主站系统', en: 'Head-End System' },
        logo,
        agreementUrl: null,
        locales: [...LOCALES],
        timeZone: ctx.settings.timeZone,
        slider: { nonce, expiresAt: new Date(expiresAt).toISOString() },
        warnings,
        isLocalOff: (await findLocalSignIn(ctx.db)).allowed === 'emergency',
        providers: await offeredProviders(ctx),
      };
    },
  });
