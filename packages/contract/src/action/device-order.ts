import { z } from 'zod';
import { id } from '../core/page.ts';

export const MAX_DEVICES_PER_ORDER = 1000;

/** A DCU or a meter that something is ordered from. */
export const deviceRef = z.object({ kind: z.enum(['dcu', 'meter']), id });
export type DeviceRef = z.infer<typeof deviceRef>;
