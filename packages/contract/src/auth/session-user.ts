import { z } from 'zod';
import { id } from '../core/page.ts';

/** The signed-in user. */
export const sessionUser = z.object({ id, username: z.string(), name: z.string() });
export type SessionUser = z.infer<typeof sessionUser>;
