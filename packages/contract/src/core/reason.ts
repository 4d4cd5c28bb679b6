import { z } from 'zod';
import { RULES } from './rules.ts';

/** Body of calls whose only input is the reason. */
export const reasonGiven = z.object({ reason: z.string().trim().min(1, RULES.reason.en).max(128) });
