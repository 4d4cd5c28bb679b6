import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { LiveUpdates } from '#core/live/updates.ts';
import { assetUpdates } from './assets.ts';
import { networkUpdates } from './network.ts';
import { readingUpdates } from './readings.ts';
import { systemUpdates } from './system.ts';
import { taskUpdates } from './tasks.ts';
import { upgradeUpdates } from './upgrades.ts';

/** A message type without an update does not compile. */
const updates: LiveUpdates<LiveMessage['type']> = {
  ...assetUpdates,
  ...networkUpdates,
  ...readingUpdates,
  ...systemUpdates,
  ...taskUpdates,
  ...upgradeUpdates,
};

/** Applies a live message to the query cache. */
export function applyLiveMessage(client: QueryClient, message: LiveMessage): void {
  const update = updates[message.type] as ((client: QueryClient, message: LiveMessage) => void) | undefined; // as: a newer server may send types we do not know
  update?.(client, message);
}
