import { z } from 'zod';
import { id } from '../core/page.ts';

export const MAX_DEVICES_PER_ORDER = 1000;

/** A DCU or a meter that something is ordered from. */
export const deviceRef = z.object({ kind: z.enum(['dcu', 'meter']), id });
export type DeviceRef = z.infer<typeof deviceRef>;

/** An order for a device that has not ended: the state beside it is from before. */
export const openOrder = z.object({ taskId: id, kind: z.string() });
export type OpenOrder = z.infer<typeof openOrder>;
