import type { ShortNamedObject } from '../catalogue/short-names.ts';
import type { Obis } from '../cosem/obis.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import type { Mechanism } from '../security/hls.ts';
import type { SecurityKeys, SecurityPolicy } from '../security/protection.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { SecurityFailure } from './association-error.ts';
import type { GeneralKeys, SigningKeys } from './secure-channel.ts';

/** Base names of the objects of a server with short names. */
export interface ShortNameOptions {
  /**
   * The object list of an earlier association. An object is used by it after its logical name was read under the short name; the list is
   * read again when it differs, or when the object is missing.
   */
  known?: readonly ShortNamedObject[] | undefined;
  /** Called with the object list when it was read. */
  onLearnt?(objects: readonly ShortNamedObject[]): void;
}

export interface ClientOptions {
  mechanism: Mechanism;
  /** Whether services are ciphered. */
  ciphered: boolean;
  systemTitle: Uint8Array;
  /** For `low`, and the secret of `hls` (at most 16 octets), `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  password?: Uint8Array;
  /** For `hlsGmac`, and when ciphered. */
  keys?: SecurityKeys;
  /** Defaults to 0. */
  suite?: SecuritySuite;
  /** For `hlsEcdsa` and general signing: our private key, and the public key X ‖ Y of the server. */
  signing?: SigningKeys;
  /**
   * Compresses service APDUs by V.44 before they are protected, where that makes them shorter. Needs suite 1 or 2 and a policy with
   * authentication. Compressed responses are understood anyway.
   */
  compression?: boolean;
  /** Signs every service APDU after the AARE, and accepts signed responses only; requires `signing`. */
  generalSigning?: boolean;
  /** Sent in the InitiateRequest, which must be ciphered; protects every service APDU once the association is open. */
  dedicatedKey?: Uint8Array;
  /** Length of our challenge in octets, 8 to 64; `hls` requires 16. Defaults to 16, or 32 for `hlsEcdsa`. */
  challengeSize?: number;
  cipher: Cipher;
  /** Protection applied, and minimum accepted; defaults to `authEnc`. */
  policy?: SecurityPolicy;
  /** Octets of the largest APDU we accept. */
  maxPduSize: number;
  /**
   * Proposes general block transfer; `window` is the number of blocks we accept at once, 1 to 63. `post` sends a block without awaiting a
   * response, which allows windows in long requests.
   */
  generalBlockTransfer?: { window: number; post?: (block: Uint8Array) => void };
  /** Protects every service APDU after the AARE with general ciphering, using this key information. */
  generalCiphering?: GeneralKeys;
  /** Proposes general-glo instead of the service-specific forms. */
  generalProtection?: boolean;
  /**
   * The server is referenced by short names. Objects are still named by class and logical name: their base names are read from the object
   * list of the association, unless `known` has them.
   */
  shortNames?: ShortNameOptions;
  /** Services that are neither proposed nor used, for servers that grant what they cannot do. */
  withheld?: readonly Conformance[];
  /**
   * The association exists without AARQ and AARE and cannot be released; its context is agreed upon outside of the protocol. Requires
   * mechanism `none`, and the system title of the server when ciphered.
   * @spec GB 9.4 (pre-established application associations)
   */
  preEstablished?: {
    /** Octets of the largest APDU that the server accepts. */
    maxPduSize: number;
    /** With all servers at once: requests have no response, and are under the broadcast key when ciphered. No title of a server is needed. */
    broadcast?: boolean;
  };
  /** Called once per GMAC and per APDU protected without the dedicated key; must never return the same number twice for one key. */
  nextCounter(): number;
  /** The pinned system title, if known, and the highest counter accepted from the peer; -1 for none. */
  peer: { systemTitle?: Uint8Array; counter: number };
  onPeerCounter?(counter: number): void;
  /** A verification failed: the peer is under attack or has lost its keys. */
  onSecurityFailure?(code: SecurityFailure): void;
  /**
   * For traces: every APDU, whole where general block transfer splits it, and its plaintext if it was protected and could be deciphered.
   */
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
  /** Called for a notification received while a response is awaited. */
  onNotification?(apdu: Uint8Array): void;
  /** Logical name of the current association object, for peers that require the specific one. */
  associationObject?: Obis;
}

/** Result of the negotiation. */
export interface Negotiated {
  conformance: readonly Conformance[];
  /** Octets of the largest APDU that the server accepts. */
  maxPduSize: number;
  serverTitle: Uint8Array | undefined;
}
