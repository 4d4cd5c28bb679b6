import type { Data } from '../cosem/data-value.ts';
import type { Obis } from '../cosem/obis.ts';
import type { Selection } from '../cosem/selective-access.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import type { Mechanism } from '../security/hls.ts';
import type { SecurityKeys, SecurityPolicy } from '../security/protection.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
import type { SecurityFailure } from './association-error.ts';
import type { GeneralKeys } from './secure-channel.ts';

export const MANAGEMENT_CLIENT_SAP = 1;
export const PUBLIC_CLIENT_SAP = 16;

export type AccessKind = 'read' | 'write' | 'invoke';

/** The association that an object is read in. */
export interface ServedAssociation {
  clientSap: number;
  rule: ClientRule;
  conformance: readonly Conformance[];
}

/** A COSEM object as a server offers it. Members answer with a result name instead of throwing. */
export interface ServerObject {
  classId: number;
  version: number;
  instance: Obis;
  /** One encoded Data, or why there is none. */
  read(attributeId: number, selection?: Selection, association?: ServedAssociation): Uint8Array | DataAccessResult;
  write?(attributeId: number, data: Data, selection?: Selection): DataAccessResult;
  invoke?(methodId: number, argument: Data | undefined): { result: ActionResult; data?: Uint8Array };
  /** Whether a client may use a member; everything it was let in for when not said. */
  access?(kind: AccessKind, memberId: number, clientSap: number): boolean;
}

/** How one client must come, and what it may touch. */
export interface ClientRule {
  mechanism: Mechanism;
  ciphered: boolean;
  /** For `low`, and the secret of `hls`, `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  password?: Uint8Array;
  /** For `hlsEcdsa` and general signing: X ‖ Y of the client; when not said, what its certificate says. */
  publicKey?: Uint8Array;
  /** Refuses requests without general signing. Signed requests are answered signed, whether this is set or not. */
  signed?: boolean;
  /** The only client title that is let in; any when not said. */
  clientTitle?: Uint8Array;
  /** Everything when not said. */
  allows?(kind: AccessKind, object: { classId: number; instance: Obis }): boolean;
}

/** Key pairs of a device, and public keys of others that it has certificates of. */
export interface KeyPairs {
  privateKey(use: KeyPairUse): Uint8Array | undefined;
  publicKeyOf(use: KeyPairUse, systemTitle: Uint8Array): Uint8Array | undefined;
}
type KeyPairUse = 'digitalSignature' | 'keyAgreement';

/** The invocation counters of one device. */
export interface CounterStore {
  /** For what the device sends; never the same twice with one key. */
  next(): number;
  /** Highest accepted from this client; -1: none. */
  last(clientTitle: Uint8Array): number;
  accept(clientTitle: Uint8Array, counter: number): void;
  /** A new key: both directions may begin again. A store without it goes on counting, which is as safe. */
  restart?(): void;
}

export interface LogicalDeviceOptions {
  objects: ReadonlyMap<string, ServerObject> | ((classId: number, instance: Obis) => ServerObject | undefined);
  systemTitle: Uint8Array;
  /** Needed by rules with `hlsGmac` or ciphering. */
  keys?: SecurityKeys;
  cipher: Cipher;
  policy?: SecurityPolicy;
  /** 0 when not said. */
  suite?: SecuritySuite;
  /** For `hlsEcdsa` and general signing. */
  privateKey?: Uint8Array;
  /** For `hlsEcdsa` and agreed keys, where they are not said outright. */
  credentials?: KeyPairs;
  /** Requests in general ciphering are answered in it, by a key that is found this way. */
  generalCiphering?: GeneralKeys;
  /** By client SAP; a client without a rule is refused. */
  rules: ReadonlyMap<number, ClientRule>;
  /** Octets of the largest APDU the device receives. */
  maxPduSize: number;
  counters: CounterStore;
  /** Octets of data in a block of a GET response; as many as fit when not said. */
  blockOctets?(): number | undefined;
  /** Offered when said. A `window` above 1 needs a driver that uses `receiveAll`. */
  generalBlockTransfer?: { window: number };
  /** A client could not prove something; broken bytes do not count. */
  onSecurityFailure?(clientSap: number, code: SecurityFailure): void;
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
}

/** Key of an object in a map of them. */
export const objectKey = (classId: number, instance: Obis): string => `${classId}/${instance}`;

/** The usual public client: nothing to prove, and a few objects to read. */
export const publicClient = (readable: readonly Obis[]): ClientRule => ({
  mechanism: 'none',
  ciphered: false,
  allows: (kind, { instance }) => kind === 'read' && readable.includes(instance),
});
