import { PAGE_PATH } from '@hes/contract/page/paths.ts';

/** Base path of the console on its server. */
export const CONSOLE_BASE = '/hes';

/** Removes doubled slashes and a trailing slash. A leading `//` would address another site. */
export const plainPath = (path: string): string => path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') || '/';

/** Target after a sign-in: a path of this console, never another site and never the sign-in page. */
export const safeRedirect = (wanted: string | null): string => (wanted && /^\/(?![/\\]|login(?:$|[/?#]))/.test(wanted) ? wanted : '/');

/** The sign-in page with `from` as `redirect`; the parameters of `from` are kept in the query as well. */
export function loginPath(from: string): string {
  if (from === '/' || from === '') return PAGE_PATH.login;
  const query = new URLSearchParams({ redirect: from });
  for (const [key, value] of new URLSearchParams(from.split('?')[1] ?? '')) if (key !== 'redirect') query.append(key, value);
  return `${PAGE_PATH.login}?${query}`;
}

/** Target after the next sign-in: the current address, or `/` when it is the sign-in or an error page. */
export const backFrom = (pathname: string, search: string): string =>
  ['/', PAGE_PATH.login, PAGE_PATH.forbidden, '/404'].includes(pathname) ? '/' : pathname + search;
