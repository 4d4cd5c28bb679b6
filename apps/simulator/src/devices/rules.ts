import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { type ClientRule, MANAGEMENT_CLIENT_SAP, PUBLIC_CLIENT_SAP, publicClient } from '@hes/dlms/association/server-options.ts';
import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';

/** Clients of a device: the management client with keys, and the public client for identification. */
export const RULES: ReadonlyMap<number, ClientRule> = new Map([
  [MANAGEMENT_CLIENT_SAP, { mechanism: 'hlsGmac' as const, ciphered: true }],
  [PUBLIC_CLIENT_SAP, publicClient([WELL_KNOWN.CLOCK.instance, WELL_KNOWN.LDN.instance, WELL_KNOWN.IC.instance])],
]);

const MECHANISMS = {
  none: 'none',
  low: 'low',
  hls_md5: 'hlsMd5',
  hls_sha1: 'hlsSha1',
  hls_sha256: 'hlsSha256',
} as const;
/** Authentication mechanism that a meter requires from its management client. */
export type MeterAuthentication = 'hls_gmac' | 'hls_ecdsa' | keyof typeof MECHANISMS;
export const METER_AUTHENTICATIONS: readonly MeterAuthentication[] = ['hls_gmac', 'none', 'low', 'hls_md5', 'hls_sha1', 'hls_sha256'];

/** `mixed`: half of the meters use GMAC, the others the mechanisms without ciphering. `every`: every mechanism and suite in turn. */
export type FleetAuthentication = 'gmac' | 'mixed' | 'every';

export interface MeterSecurity {
  authentication: MeterAuthentication;
  suite: SecuritySuite;
}

const GMAC: MeterSecurity = { authentication: 'hls_gmac', suite: 0 };
/** Every mechanism in the suites that have it: signatures need the certificates of suites 1 and 2. */
export const EVERY_SECURITY: readonly MeterSecurity[] = [
  ...METER_AUTHENTICATIONS.map((authentication) => ({ authentication, suite: 0 as const })),
  ...([1, 2] as const).flatMap((suite) => [
    { authentication: 'hls_gmac' as const, suite },
    { authentication: 'hls_ecdsa' as const, suite },
  ]),
];

export function securityOf({ index }: { index: number }, fleet: FleetAuthentication): MeterSecurity {
  if (fleet === 'every') return EVERY_SECURITY[index % EVERY_SECURITY.length] ?? GMAC;
  const others = METER_AUTHENTICATIONS.slice(1);
  const authentication = fleet === 'gmac' || index % 2 === 0 ? 'hls_gmac' : (others[((index - 1) / 2) % others.length] ?? 'hls_gmac');
  return { authentication, suite: 0 };
}
export const authenticationOf = (meter: { index: number }, fleet: FleetAuthentication): MeterAuthentication =>
  securityOf(meter, fleet).authentication;

/** Client rules of a meter with this authentication. */
export function rulesFor(authentication: MeterAuthentication, password: string): ReadonlyMap<number, ClientRule> {
  if (authentication === 'hls_gmac') return RULES;
  if (authentication === 'hls_ecdsa') return new Map([...RULES, [MANAGEMENT_CLIENT_SAP, { mechanism: 'hlsEcdsa', ciphered: true }]]);
  const management = { mechanism: MECHANISMS[authentication], ciphered: false, password: new TextEncoder().encode(password) };
  return new Map([...RULES, [MANAGEMENT_CLIENT_SAP, management]]);
}

/** The same rules for clients that reference by short names. */
export const withShortNames = (rules: ReadonlyMap<number, ClientRule>): ReadonlyMap<number, ClientRule> =>
  new Map([...rules].map(([sap, rule]) => [sap, { ...rule, shortNames: true }]));

/** Client rules of a meter without any authentication. */
export const OPEN_RULES: ReadonlyMap<number, ClientRule> = new Map([
  ...RULES,
  [MANAGEMENT_CLIENT_SAP, { mechanism: 'none' as const, ciphered: false }],
]);

export const CLIENT_SAPS = [MANAGEMENT_CLIENT_SAP, PUBLIC_CLIENT_SAP] as const;
/** All simulated devices have one logical device. */
export const MANAGEMENT_SERVER_SAP = 1;
/** Octets of the largest APDU that a device accepts. */
export const MAX_PDU_SIZE = 16_384;
