import { encode } from '../codec/codec.ts';
import { securitySetup, securitySetupV1 } from '../cosem/classes/security-setup.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import { unwrapKeys, type TransferableKeys } from '../security/key-transfer.ts';
import { serverObject, type DescribedObject, type MethodOutcome, type ObjectOptions } from './server-object.ts';

/** What a device knows about its own protection. Keys themselves are never read. */
export interface SecurityContext {
  cipher: Cipher;
  suite: SecuritySuite;
  systemTitle: Uint8Array;
  clientTitle?: Uint8Array;
  /** Version 1: a set of bits; may only grow. */
  policyBits: number;
  /** Wraps the keys that are transferred. */
  kek: Uint8Array;
  /** Takes new keys into use: `LogicalDevice.changeKeys`, and whatever keeps them. */
  onKeys(keys: Partial<TransferableKeys>): void;
}

const EVERY_BIT = 0xfc;

/** One key that is not intact leaves all of them as they were. */
function takeKeys(context: SecurityContext, items: Parameters<typeof wrappedOctets>[0]): MethodOutcome {
  const keys = unwrapKeys(context.cipher, context.kek, wrappedOctets(items));
  if (keys === undefined) return 'otherReason';
  if (keys.kek !== undefined) context.kek = keys.kek;
  context.onKeys(keys);
  return 'success';
}

const { argument } = securitySetup.methods.globalKeyTransfer;
const wrappedOctets = (items: typeof argument extends { write(out: never, value: infer T): void } ? T : never): Uint8Array =>
  encode(argument, items);

/** A security setup of version 1. */
export const securitySetupObject = (context: SecurityContext, options: ObjectOptions): DescribedObject =>
  serverObject(
    securitySetupV1,
    {
      read: {
        securityPolicy: () => context.policyBits,
        securitySuite: () => context.suite,
        clientSystemTitle: () => context.clientTitle ?? new Uint8Array(0),
        serverSystemTitle: () => context.systemTitle,
        certificates: () => [],
      },
      invoke: {
        // Protection that was asked for once cannot be taken back over the line.
        securityActivate: (bits) => {
          if ((bits & ~EVERY_BIT) !== 0 || (bits & context.policyBits) !== context.policyBits) return 'otherReason';
          context.policyBits = bits;
          return 'success';
        },
        keyTransfer: (items) => takeKeys(context, items),
      },
    },
    options,
  );
