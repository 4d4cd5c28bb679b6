import { z } from 'zod';
import { id } from '../core/page.ts';

export const MAX_DEVICES_PER_ORDER = 1000;

/** Reference to a DCU or meter that an order addresses. */
export const deviceRef = z.object({ kind: z.enum(['dcu', 'meter']), id });
export type DeviceRef = z.infer<typeof deviceRef>;

/** A pending order for the device; the state in the same row predates it. */
export const openOrder = z.object({ taskId: id, kind: z.string() });
export type OpenOrder = z.infer<typeof openOrder>;
