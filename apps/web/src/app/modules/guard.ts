import { module } from '@hes/contract/manager/module.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { QueryClient } from '@tanstack/react-query';
import { redirect, type LoaderFunctionArgs } from 'react-router';
import { CONSOLE_BASE, loginPath, plainPath } from '#core/url/addresses.ts';
import { ensureApi } from '#core/api/hooks.ts';
import { useSession } from '#core/session/session.ts';
import { isAllowed } from './modules.ts';

/** Redirects users without a session to the sign-in page, and users without permission for the path to 403 (@spec seed §2, §6). */
export function guard(queries: QueryClient) {
  return async ({ request }: LoaderFunctionArgs) => {
    const url = new URL(request.url);
    const path = url.pathname.startsWith(CONSOLE_BASE) ? url.pathname.slice(CONSOLE_BASE.length) || '/' : url.pathname;
    if (plainPath(path) !== path) return redirect(plainPath(path) + url.search);
    if (!useSession.getState().user?.id) return redirect(loginPath(path + url.search));
    try {
      const tree = await ensureApi(queries, module.tree);
      return isAllowed(tree, path) ? null : redirect(PAGE_PATH.forbidden);
    } catch {
      // An expired session has its own dialog; any other failure leads to /403.
      return useSession.getState().expired ? null : redirect(PAGE_PATH.forbidden);
    }
  };
}
