import type { Data } from '../cosem/data-value.ts';
import type { ShortNamedObject } from '../catalogue/short-names.ts';
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

/** The association in which an object is read. */
export interface ServedAssociation {
  clientSap: number;
  rule: ClientRule;
  conformance: readonly Conformance[];
}

/** A COSEM object of a server. Members return a result name instead of throwing. */
export interface ServerObject {
  classId: number;
  version: number;
  instance: Obis;
  /** Returns one encoded Data, or a data-access-result. */
  read(attributeId: number, selection?: Selection, association?: ServedAssociation): Uint8Array | DataAccessResult;
  write?(attributeId: number, data: Data, selection?: Selection): DataAccessResult;
  invoke?(methodId: number, argument: Data | undefined): { result: ActionResult; data?: Uint8Array };
  /** Whether a client may use a member; without it, everything its rule allows. */
  access?(kind: AccessKind, memberId: number, clientSap: number): boolean;
}

/** Authentication and access rights of one client. */
export interface ClientRule {
  mechanism: Mechanism;
  ciphered: boolean;
  /** For `low`, and the secret of `hls` (at most 16 octets), `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  password?: Uint8Array;
  /** For `hlsEcdsa` and general signing: X ‖ Y of the client; defaults to the key in its certificate. */
  publicKey?: Uint8Array;
  /** Refuses requests without general signing. Signed requests always get signed responses. */
  signed?: boolean;
  /** The only client title accepted; any when absent. */
  clientTitle?: Uint8Array;
  /** The association exists from the start, without AARQ; a ciphered one needs `clientTitle`. Requires mechanism `none`. */
  preEstablished?: { conformance: readonly Conformance[]; maxPduSize: number };
  /** The client references by short names, which the device must have. Defaults to logical names. */
  shortNames?: boolean;
  /** Allows everything when absent. */
  allows?(kind: AccessKind, object: { classId: number; instance: Obis }): boolean;
}

/** Key pairs of a device, and the public keys in its certificates. */
export interface KeyPairs {
  privateKey(use: KeyPairUse): Uint8Array | undefined;
  publicKeyOf(use: KeyPairUse, systemTitle: Uint8Array): Uint8Array | undefined;
}
type KeyPairUse = 'digitalSignature' | 'keyAgreement';

/** The invocation counters of one device. */
export interface CounterStore {
  /** The next counter to send; never the same twice for one key. */
  next(): number;
  /** Highest counter accepted from this client; -1 for none. */
  last(clientTitle: Uint8Array): number;
  accept(clientTitle: Uint8Array, counter: number): void;
  /** Called on a new key, with which both directions may restart. A store without it continues to count, which is equally safe. */
  restart?(): void;
}

export interface LogicalDeviceOptions {
  objects: ReadonlyMap<string, ServerObject> | ((classId: number, instance: Obis) => ServerObject | undefined);
  /** Base names of the objects for clients with short names, in any order; `assignShortNames` gives some. */
  shortNames?(): readonly ShortNamedObject[];
  systemTitle: Uint8Array;
  /** Required by rules with `hlsGmac` or ciphering. */
  keys?: SecurityKeys;
  cipher: Cipher;
  policy?: SecurityPolicy;
  /** Defaults to 0. */
  suite?: SecuritySuite;
  /** For `hlsEcdsa` and general signing. */
  privateKey?: Uint8Array;
  /** Certificates for `hlsEcdsa` and agreed keys, where keys are not configured explicitly. */
  credentials?: KeyPairs;
  /** Key information for responses in general ciphering, which answer requests in it. */
  generalCiphering?: GeneralKeys;
  /** By client SAP; clients without a rule are refused. */
  rules: ReadonlyMap<number, ClientRule>;
  /** Octets of the largest APDU the device accepts. */
  maxPduSize: number;
  counters: CounterStore;
  /** Data octets per block of a GET response; as many as fit when absent. */
  blockOctets?(): number | undefined;
  /** Offers general block transfer. A `window` above 1 requires a driver that calls `receiveAll`. */
  generalBlockTransfer?: { window: number };
  /** A client failed a verification; broken octets do not count. */
  onSecurityFailure?(clientSap: number, code: SecurityFailure): void;
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
}

/** Key of an object in a map of objects. */
export const objectKey = (classId: number, instance: Obis): string => `${classId}/${instance}`;

/** A rule for a public client: no authentication, read access to a few objects. */
export const publicClient = (readable: readonly Obis[]): ClientRule => ({
  mechanism: 'none',
  ciphered: false,
  allows: (kind, { instance }) => kind === 'read' && readable.includes(instance),
});
