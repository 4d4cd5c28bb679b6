import { module } from '@hes/contract/manager/module.ts';
import { setting } from '@hes/contract/manager/setting.ts';
import { user } from '@hes/contract/manager/user.ts';
import { exportFile } from '@hes/contract/transfer/export.ts';
import type { QueryClient } from '@tanstack/react-query';
import { sessionExpired } from '#core/api/client.ts';
import { refetchStale } from '#core/live/refetch.ts';
import { throttled } from '#core/live/throttled.ts';
import { REFRESH_MS, refresh, type LiveUpdates, type MessageOf } from '#core/live/updates.ts';

/** The paths that a notice makes stale. */
const CONCERNED: Record<MessageOf<'notice'>['data']['about'], ReadonlySet<string>> = {
  permissions: new Set([module.tree.path, user.me.path]),
  modules: new Set([module.tree.path, module.list.path]),
  // A changed setting may require a second factor of this user.
  settings: new Set([setting.list.path, setting.get.path, user.me.path]),
};

const refreshUnder = throttled(
  (client: QueryClient, path: string) =>
    refetchStale(client, { predicate: ({ queryKey: [of] }) => of === path || String(of).startsWith(`${path}/`) }),
  REFRESH_MS,
);

export const systemUpdates: LiveUpdates<'export.ready' | 'session.revoked' | 'missed' | 'notice' | 'list.changed'> = {
  'export.ready': (client) => refresh(client, [exportFile.list]),
  'session.revoked': () => sessionExpired(),
  missed: (client) => refetchStale(client),
  notice: (client, message) =>
    refetchStale(client, { predicate: ({ queryKey: [path] }) => CONCERNED[message.data.about].has(String(path)) }),
  'list.changed': (client, { data: { path } }) => refreshUnder(path, client, path),
};
