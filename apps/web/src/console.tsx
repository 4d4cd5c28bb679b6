import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { module } from '@hes/contract/manager/module.ts';
import { user } from '@hes/contract/manager/user.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { RouterProvider } from 'react-router/dom';
import { ensureApi, prefetchApi } from './core/api/hooks.ts';
import { startRenewal } from './core/session/refresh.ts';
import { followOtherTabs } from './core/session/session.ts';
import { useSession } from './core/session/session.ts';
import { refetchAfterReconnect, startLive, watchReachability } from './core/live/live.ts';
import { applyLiveMessage } from './domain/live/apply.ts';
import { useServerTime } from './core/time/format.ts';
import { createRouter } from './routes.tsx';

export { ShellComing } from './app/frame/shell-coming.tsx';

/** Starts the services that run as long as the console, and returns its root element with the router. */
export async function startConsole(queries: QueryClient): Promise<ReactNode> {
  const router = createRouter(queries);
  startRenewal();
  followOtherTabs(() => location.reload());
  startLive(queries, applyLiveMessage);
  watchReachability();
  refetchAfterReconnect(queries);
  // Data of the shell around every page.
  if (useSession.getState().token) for (const route of [module.tree, user.me, dashboard.summary]) prefetchApi(queries, route);
  // The time zone must be known before the first time is rendered; without a server the pages show their own errors.
  const settings = await ensureApi(queries, whiteList.api).catch(() => undefined);
  if (settings) useServerTime.setState({ timeZone: settings.timeZone });
  return <RouterProvider router={router} />;
}
