import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { type ClientRule, MANAGEMENT_CLIENT_SAP, PUBLIC_CLIENT_SAP, publicClient } from '@hes/dlms/association/server-options.ts';

/** Who may come to a device: the management client with keys, and anybody for what identifies it. */
export const RULES: ReadonlyMap<number, ClientRule> = new Map([
  [MANAGEMENT_CLIENT_SAP, { mechanism: 'hlsGmac' as const, ciphered: true }],
  [PUBLIC_CLIENT_SAP, publicClient([WELL_KNOWN.CLOCK.instance, WELL_KNOWN.LDN.instance, WELL_KNOWN.IC.instance])],
]);

/** Of a meter that asks the management client for nothing. */
export const OPEN_RULES: ReadonlyMap<number, ClientRule> = new Map([
  ...RULES,
  [MANAGEMENT_CLIENT_SAP, { mechanism: 'none' as const, ciphered: false }],
]);

export const CLIENT_SAPS = [MANAGEMENT_CLIENT_SAP, PUBLIC_CLIENT_SAP] as const;
/** All our devices have one logical device. */
export const MANAGEMENT_SERVER_SAP = 1;
/** Octets of the largest APDU a device takes in. */
export const MAX_PDU_SIZE = 16_384;
