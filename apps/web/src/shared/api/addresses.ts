/** Where the console lies on its server. */
export const CONSOLE_BASE = '/hes';

/** A path without doubled slashes and without one at its end; with two in front it would be another site's. */
export const plainPath = (path: string): string => path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') || '/';

/** The page a sign-in goes back to: our own paths only, never another site, nor the sign-in once more. */
export const safeRedirect = (wanted: string | null): string => (wanted && /^\/(?![/\\]|login(?:$|[/?#]))/.test(wanted) ? wanted : '/');

/** The sign-in that leads back to `from`: the whole address as `redirect`, and what its query held beside it. */
export function loginPath(from: string): string {
  if (from === '/' || from === '') return '/login';
  const query = new URLSearchParams({ redirect: from });
  for (const [key, value] of new URLSearchParams(from.split('?')[1] ?? '')) if (key !== 'redirect') query.append(key, value);
  return `/login?${query}`;
}

/** Where to go on after the next sign-in; from pages that are errors nowhere. */
export const backFrom = (pathname: string, search: string): string =>
  ['/', '/login', '/403', '/404'].includes(pathname) ? '/' : pathname + search;
