import type { Context } from './context.ts';

/** Topic of manual changes to devices; the field engine and open consoles subscribe to it. */
export const DEVICES = 'device';

/** Invalidates cached data about these devices. Call it after the commit. */
export function publishDeviceChanges(ctx: Pick<Context, 'bus' | 'clock'>, kind: 'dcu' | 'meter', ids: string[]): void {
  if (ids.length === 0) return;
  ctx.bus.publish(DEVICES, { type: 'device.changed', ts: new Date(ctx.clock.now()).toISOString(), id: '0', data: { kind, ids } });
}
