import { z } from 'zod';
import { listOf } from '../core/page.ts';
import { route } from '../core/route.ts';

export const MAX_PREFERENCES = 300;

/** Preferences of a user by key, such as `columns:/assets/dcu`. Their content is defined by the console. */
export const preferenceRow = z.object({ key: z.string(), value: z.unknown() });

const MAX_OCTETS = 16_000;
const MAX_DEPTH = 16;

/** Upper bound of the stored size in octets: jsonb adds a space after each colon and comma, and a non-ASCII character takes three. */
const octetsOf = (value: unknown): number => {
  const text = JSON.stringify(value ?? null);
  return text.length + (text.match(/[:,]/g)?.length ?? 0) + 2 * (text.match(/[\u0080-\uFFFF]/g)?.length ?? 0);
};

function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth < MAX_DEPTH && Object.values(value).every((part) => isFlat(part, depth + 1));
}

export const preference = {
  list: route({
    method: 'GET',
    path: '/manager/preference',
    summary: 'My preferences',
    allow: 'signed-in',
    response: listOf(preferenceRow),
  }),
  save: route({
    method: 'PUT',
    path: '/manager/preference',
    summary: 'Save one of my preferences; null deletes it',
    allow: 'signed-in',
    endangers: 'nothing',
    body: z.object({
      key: z.string().regex(/^[a-z]+:\/[a-z0-9/-]{0,100}$/),
      value: z.unknown().refine((value) => isFlat(value) && octetsOf(value) <= MAX_OCTETS),
    }),
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOTHING_TO_DO'],
  }),
};
