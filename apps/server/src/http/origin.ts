/** Whether `Origin` is this server, or is absent, as for clients other than browsers. `isSecure`: browsers reach the server over TLS. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, isSecure: boolean): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { host: from, protocol } = new URL(origin);
  return from === host && (!isSecure || protocol === 'https:');
}
