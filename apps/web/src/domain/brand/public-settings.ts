import { whiteList } from '@hes/contract/white/list.ts';
import { useApiQuery } from '#core/api/hooks.ts';

/** Title, logo rule, version and time zone; fetched once per page load. */
export const usePublicSettings = () => useApiQuery(whiteList.api, { staleMs: Infinity });

/** Variant `a` when the host contains the agreed marker or equals the one fixed address, else `b` (@spec seed §1). */
export function logoVariant(logo: { marker: string; address: string } | undefined, host: string): 'a' | 'b' {
  if (!logo) return 'b';
  const marked = logo.marker !== '' && host.includes(logo.marker);
  return marked || (logo.address !== '' && host === logo.address) ? 'a' : 'b';
}
