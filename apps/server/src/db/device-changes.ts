import type { Context } from './context.ts';

/** Topic of devices that were changed by hand: the field engine and open consoles take them over. */
export const DEVICES = 'device';

/** Tells everybody who holds something of these devices in memory; to be called after the commit. */
export function announceDevices(ctx: Pick<Context, 'bus' | 'clock'>, kind: 'dcu' | 'meter', ids: string[]): void {
  if (ids.length === 0) return;
  ctx.bus.publish(DEVICES, { type: 'device.changed', ts: new Date(ctx.clock.now()).toISOString(), id: '0', data: { kind, ids } });
}
