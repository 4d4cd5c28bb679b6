import type { Obis } from '../cosem/obis.ts';
import type { Cipher, SecuritySuite } from '../security/cipher.ts';
import type { Mechanism } from '../security/hls.ts';
import type { SecurityKeys, SecurityPolicy } from '../security/protection.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { SecurityFailure } from './association-error.ts';
import type { GeneralKeys, SigningKeys } from './secure-channel.ts';

export interface ClientOptions {
  mechanism: Mechanism;
  /** Whether services are protected. */
  ciphered: boolean;
  systemTitle: Uint8Array;
  /** For `low`, and the secret of `hls`, `hlsMd5`, `hlsSha1` and `hlsSha256`. */
  password?: Uint8Array;
  /** For `hlsGmac`, and when ciphered. */
  keys?: SecurityKeys;
  /** 0 when not said. */
  suite?: SecuritySuite;
  /** For `hlsEcdsa` and general signing: our private key, and the public key X ‖ Y of the server. */
  signing?: SigningKeys;
  /** Signs everything after the association around its protection, and accepts only signed answers; needs `signing`. */
  generalSigning?: boolean;
  /** Offered for this one association in its InitiateRequest, which must be ciphered; protects everything after it. */
  dedicatedKey?: Uint8Array;
  /** Octets of our challenge, 8 to 64; 16 when not said, 32 for `hlsEcdsa`. */
  challengeSize?: number;
  cipher: Cipher;
  /** What is applied, and the least that is accepted; both authentication and encryption when not said. */
  policy?: SecurityPolicy;
  /** Octets of the largest APDU we can receive. */
  maxPduSize: number;
  /**
   * Asks for general block transfer; `window` is how many blocks we receive at once, 1 to 63. `post` sends a block without waiting for
   * an answer, so that long requests go in windows; without it they go block by block.
   */
  generalBlockTransfer?: { window: number; post?: (block: Uint8Array) => void };
  /** Protects everything after the association with general ciphering, by a key that is found this way. */
  generalCiphering?: GeneralKeys;
  /** Asks for general-glo instead of the service-specific forms. */
  generalProtection?: boolean;
  /** Called once for every protected APDU and every GMAC; never gives the same number twice for one key. */
  nextCounter(): number;
  /** The title the peer is pinned to, if it is known, and the highest counter accepted from it; -1: none. */
  peer: { systemTitle?: Uint8Array; counter: number };
  onPeerCounter?(counter: number): void;
  /** Something could not be proved: whoever counts these knows a peer that is being attacked, or has lost its keys. */
  onSecurityFailure?(code: SecurityFailure): void;
  /** For traces: every APDU as on the wire, and what was inside if it was protected and could be opened. */
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
  /** A notification that came between a request and its answer. */
  onNotification?(apdu: Uint8Array): void;
  /** Where the peer keeps the object of the current association; some want its own name. */
  associationObject?: Obis;
}

/** What client and server agreed on. */
export interface Negotiated {
  conformance: readonly Conformance[];
  /** Octets of the largest APDU the server can receive. */
  maxPduSize: number;
  serverTitle: Uint8Array | undefined;
}
