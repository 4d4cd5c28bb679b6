import { devicesChanged } from '../../src/db/changes.ts';
import type { Context } from '../../src/db/context.ts';

/** Tells the field engine that devices were changed, as their editors do after a commit. */
export function announceDevices(bus: Context['bus'], kind: 'dcu' | 'meter', ids: readonly string[]): void {
  const ts = new Date().toISOString();
  for (const { topic, message } of devicesChanged(kind, ids))
    if (message.type === 'device.changed') bus.apply({ topic, message: { ...message, ts } });
}
