/** The page a sign-in goes back to: our own paths only, never another site. */
export const safeRedirect = (wanted: string | null): string => (wanted && /^\/(?![/\\])/.test(wanted) ? wanted : '/');

export const loginPath = (from: string): string => (from === '/' || from === '' ? '/login' : `/login?redirect=${encodeURIComponent(from)}`);
