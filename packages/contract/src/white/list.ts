import { z } from 'zod';
import { id, instant } from '../core/page.ts';
import { providerKind } from '../states/identity-provider.ts';
import { route } from '../core/route.ts';

export const whiteList = {
  /** Data for the sign-in page, which calls it without an authorization header ( @spec seed §7). */
  api: route({
    method: 'GET',
    path: '/white/list/api',
    summary: 'Public settings and a new slider challenge',
    allow: 'public',
    response: z.object({
      title: z.object({ 'zh-CN': z.string(), en: z.string() }),
      /** The console shows logo variant `a` if its host contains the marker or equals the address (@spec seed §1). */
      logo: z.object({ marker: z.string(), address: z.string() }),
      agreementUrl: z.string().nullable(),
      locales: z.array(z.string()),
      timeZone: z.string(),
      slider: z.object({ nonce: z.string(), expiresAt: instant }),
      warnings: z.array(z.string()),
      /** Only the emergency account may sign in by a password of this system. */
      isLocalOff: z.boolean(),
      /** Identity providers that the sign-in page offers. */
      providers: z.array(z.object({ id, name: z.string(), kind: providerKind })),
    }),
    errors: ['RATE_LIMIT'],
  }),
};
