import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { securitySetup } from '@hes/dlms/cosem/classes/security-setup.ts';
import { unwrapKeys } from '@hes/dlms/security/key-transfer.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import type { DeviceKeys } from '#devices/keys.ts';
import { simulate } from '#devices/simulate.ts';

export const SECURITY_SETUP = WELL_KNOWN.SECURITY.instance;

export interface SecurityState {
  systemTitle: Uint8Array;
  masterKey?: Uint8Array;
  takeKeys?(keys: Partial<DeviceKeys>): void;
}

const { globalKeyTransfer } = securitySetup.methods;

/** Suite 0 with authentication and encryption. A meter accepts keys that its master key wraps and rejects damaged ones. */
export const securityObject = simulate(securitySetup, ({ systemTitle, masterKey, takeKeys }: SecurityState) => ({
  read: {
    securityPolicy: () => 'authenticatedAndEncrypted' as const,
    securitySuite: () => 0,
    clientSystemTitle: () => new Uint8Array(0),
    serverSystemTitle: () => systemTitle,
  },
  invoke: {
    globalKeyTransfer(wrapped) {
      if (masterKey === undefined || takeKeys === undefined) return 'readWriteDenied';
      const { ek, ak } = unwrapKeys(nodeCipher, masterKey, encode(globalKeyTransfer.argument, wrapped)) ?? {};
      if (ek === undefined && ak === undefined) return 'otherReason';
      takeKeys({ ...(ek && { ek }), ...(ak && { ak }) });
      return 'success';
    },
  },
}));
