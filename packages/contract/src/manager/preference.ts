import { z } from 'zod';
import { listOf } from '../core/page.ts';
import { route } from '../core/route.ts';

export const MAX_PREFERENCES = 300;

/** What a person arranged on a page, by `columns:/assets/dcu` or `views:/assets/dcu`. What it holds is the console's affair. */
export const preferenceRow = z.object({ key: z.string(), value: z.unknown() });

export const preference = {
  list: route({
    method: 'GET',
    path: '/manager/preference',
    summary: 'What I arranged on my pages',
    allow: 'signed-in',
    response: listOf(preferenceRow),
  }),
  save: route({
    method: 'PUT',
    path: '/manager/preference',
    summary: 'Keep what I arranged; null forgets it',
    allow: 'signed-in',
    endangers: 'nothing',
    body: z.object({
      key: z.string().regex(/^[a-z]+:\/[a-z0-9/-]{0,100}$/),
      value: z.unknown().refine((value) => JSON.stringify(value ?? null).length <= 16_000),
    }),
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOTHING_TO_DO'],
  }),
};
