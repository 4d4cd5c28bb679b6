import { z } from 'zod';
import { RULES } from '../core/rules.ts';

/** Of the person who has looked at what was changed outside the product. */
export const sealing = z.object({ reason: z.string().trim().min(1, RULES.reason.en).max(128) });
