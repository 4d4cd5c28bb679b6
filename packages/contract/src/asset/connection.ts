import { z } from 'zod';
import { RULES } from '../core/rules.ts';

/** The port of DLMS over TCP, at which devices are dialled by default. */
export const WRAPPER_PORT = 4059;

/** TCP port of a device that is dialled; null: that of the protocol. */
export const port = z.coerce.number().int().min(1).max(65_535).nullable().default(null);

/** Lower HDLC address of a device, its physical device; null: none, or that of the first frame of a device that dials in. */
export const physicalAddress = z.coerce.number().int().min(0).max(16_383).nullable().default(null);

/** Whether a device dials in, or has an address at which it is dialled. */
export const isReachable = (fields: { connectionType: string; host: string | null }): boolean =>
  fields.connectionType === 'dial_in' || fields.host !== null;
export const NEEDS_HOST = { path: ['host'], message: RULES.host.en };
