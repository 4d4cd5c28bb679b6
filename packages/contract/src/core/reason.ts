import { z } from 'zod';
import { RULES } from './rules.ts';

/** The body of a call that needs nothing but why it is made. */
export const reasonGiven = z.object({ reason: z.string().trim().min(1, RULES.reason.en).max(128) });
