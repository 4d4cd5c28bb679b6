import { isIP } from 'node:net';
import type { Wire } from '#http/implement.ts';

/** The site that keys are bound to: its host name, and the origin that browsers report. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Browsers offer keys to secure contexts under a name: HTTPS, or localhost. */
function partyOf(url: URL | null): RelyingParty | undefined {
  if (url === null) return undefined;
  const { protocol, hostname, origin } = url;
  const isNamed = hostname !== '' && isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0;
  const isSecure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return isNamed && isSecure ? { id: hostname, origin } : undefined;
}

/**
 * The relying party by the public address; undefined: there are no keys. Without a public address only localhost counts, because the caller
 * chooses the Host header.
 */
export function relyingPartyOf(publicUrl: string | undefined, wire: Pick<Wire, 'header'>, isSecure: boolean): RelyingParty | undefined {
  if (publicUrl !== undefined) return partyOf(URL.parse(publicUrl));
  const called = partyOf(URL.parse(`${isSecure ? 'https' : 'http'}://${wire.header('host') ?? ''}`));
  return called?.id === 'localhost' ? called : undefined;
}
