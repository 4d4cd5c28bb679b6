/** Whether a browser's `Origin` is our own. Programs that are no browsers send none. `isSecure`: browsers reach the server over TLS. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, isSecure: boolean): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { host: from, protocol } = new URL(origin);
  return from === host && (!isSecure || protocol === 'https:');
}
