import { securitySetup } from '@hes/dlms/cosem/classes/security-setup.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { simulate } from '#devices/simulate.ts';

export const SECURITY_SETUP = obis('0.0.43.0.0.255');

export interface SecurityState {
  systemTitle: Uint8Array;
}

/** Suite 0, everything authenticated and encrypted; keys are not changed in this version. */
export const securityObject = simulate(securitySetup, (state: SecurityState) => ({
  read: {
    securityPolicy: () => 'authenticatedAndEncrypted' as const,
    securitySuite: () => 0,
    clientSystemTitle: () => new Uint8Array(0),
    serverSystemTitle: () => state.systemTitle,
  },
}));
