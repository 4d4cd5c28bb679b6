import type { CertificateEntity, CertificateIdentification, CertificateType } from '../cosem/classes/security-setup.ts';
import { toHex } from '../codec/hex.ts';
import { asciiText } from '../codec/text.ts';
import { isIssuedBy, readCertificate, type Certificate } from '../security/certificate.ts';
import { requestCertificate } from '../security/certificate-request.ts';
import { equalInConstantTime, type Cipher, type SecuritySuite } from '../security/cipher.ts';
import { generatePrivateKey } from '../security/key-agreement.ts';

type KeyPairUse = Exclude<CertificateType, 'other'>;
/** More certificates than a meter has peers. */
const MAX_CERTIFICATES = 64;
const PRIVATE_KEY_SIZE = { 1: 32, 2: 48 };

export interface CredentialsOptions {
  cipher: Cipher;
  /** Suite 0 has no key pairs. */
  suite: Exclude<SecuritySuite, 0>;
  systemTitle: Uint8Array;
  /** Public keys of the trusted authorities, set at manufacture; without one no certificate is accepted. */
  authorities: readonly Uint8Array[];
  privateKeys?: Partial<Record<KeyPairUse, Uint8Array>>;
  certificates?: readonly Uint8Array[];
  /** Expired certificates are not used; without a clock all count as valid. */
  nowMs?(): number;
  /** Called when the credentials must be persisted. */
  onChange?(credentials: Credentials): void;
}

/** Key pairs of a device, and certificates of the device, of clients and of authorities. */
export class Credentials {
  readonly #options: CredentialsOptions;
  readonly #privateKeys: Partial<Record<KeyPairUse, Uint8Array>>;
  /** Key pairs without a certificate; the previous key stays in use until it is imported. */
  readonly #fresh: Partial<Record<KeyPairUse, Uint8Array>> = {};
  #certificates: Certificate[];

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.#privateKeys = { ...options.privateKeys };
    this.#certificates = (options.certificates ?? []).map(readCertificate);
  }

  get certificates(): readonly Certificate[] {
    return this.#certificates;
  }

  privateKey(use: KeyPairUse): Uint8Array | undefined {
    return this.#privateKeys[use];
  }

  /** The public key X ‖ Y of a peer for this use, from a currently valid certificate. */
  publicKeyOf(use: KeyPairUse, systemTitle: Uint8Array): Uint8Array | undefined {
    const nowMs = this.#options.nowMs?.();
    const isInTime = ({ fromMs, toMs }: Certificate) => nowMs === undefined || (fromMs <= nowMs && nowMs <= toMs);
    return this.#certificates.find((one) => isOf(one, use, systemTitle) && isInTime(one))?.publicKey;
  }

  generateKeyPair(use: KeyPairUse): void {
    const { cipher, suite } = this.#options;
    this.#fresh[use] = generatePrivateKey(cipher, PRIVATE_KEY_SIZE[suite]);
    this.#options.onChange?.(this);
  }

  /** A certification request for the generated key pair, else for the one in use; undefined when there is neither. */
  request(use: KeyPairUse): Uint8Array | undefined {
    const key = this.#fresh[use] ?? this.#privateKeys[use];
    return key && requestCertificate(this.#options.cipher, key, toHex(this.#options.systemTitle));
  }

  /**
   * Stores a certificate and replaces the previous one of its subject and use. False unless a known authority issued it and, for a
   * certificate of this device, the private key is present. Throws `DecodeError` on broken octets.
   */
  importCertificate(octets: Uint8Array): boolean {
    // Copied, because the request buffer is reused.
    const certificate = readCertificate(octets.slice());
    const use = typeOf(certificate);
    if (!this.#isTrusted(certificate)) return false;
    if (entityOf(certificate, this.#options.systemTitle) === 'server' && !this.#takesOwn(use, certificate)) return false;
    const others = this.#certificates.filter((one) => one.subject !== certificate.subject || typeOf(one) !== use);
    if (others.length >= MAX_CERTIFICATES) return false;
    this.#certificates = [...others, certificate];
    this.#options.onChange?.(this);
    return true;
  }

  #isTrusted(certificate: Certificate): boolean {
    const imported = this.#certificates.filter(({ uses, subject }) => uses.includes('certificateSign') && subject === certificate.issuer);
    const issuers = [...this.#options.authorities, ...imported.map(({ publicKey }) => publicKey)];
    return issuers.some((key) => isIssuedBy(this.#options.cipher, certificate, key));
  }

  /** A certificate of this device activates its key pair. */
  #takesOwn(use: CertificateType, { publicKey }: Certificate): boolean {
    if (use === 'other') return false;
    const own = [this.#fresh[use], this.#privateKeys[use]].find(
      (key) => key !== undefined && equalInConstantTime(this.#options.cipher.publicKeyOf?.(key) ?? new Uint8Array(0), publicKey),
    );
    if (own === undefined) return false;
    this.#privateKeys[use] = own;
    delete this.#fresh[use];
    return true;
  }

  find(wanted: CertificateIdentification): Certificate | undefined {
    const { systemTitle } = this.#options;
    return this.#certificates.find((one) =>
      wanted.by === 'entity'
        ? isOf(one, wanted.type, wanted.systemTitle) && entityOf(one, systemTitle) === wanted.entity
        : equalInConstantTime(one.serialNumber, wanted.serialNumber) && one.issuer === asciiText(wanted.issuer),
    );
  }

  /** Returns false when there is none. */
  remove(wanted: CertificateIdentification): boolean {
    const found = this.find(wanted);
    this.#certificates = this.#certificates.filter((one) => one !== found);
    if (found !== undefined) this.#options.onChange?.(this);
    return found !== undefined;
  }

  entityOf(certificate: Certificate): CertificateEntity {
    return entityOf(certificate, this.#options.systemTitle);
  }
}

const isOf = (certificate: Certificate, type: CertificateType, systemTitle: Uint8Array): boolean =>
  typeOf(certificate) === type && certificate.subject.toUpperCase() === toHex(systemTitle);

/** Certificate type of the security setup. */
export function typeOf({ uses }: Certificate): CertificateType {
  if (uses.length !== 1) return 'other';
  return uses[0] === 'digitalSignature' || uses[0] === 'keyAgreement' ? uses[0] : 'other';
}

function entityOf({ uses, subject }: Certificate, systemTitle: Uint8Array): CertificateEntity {
  if (uses.includes('certificateSign')) return 'certificationAuthority';
  if (subject.toUpperCase() === toHex(systemTitle)) return 'server';
  return /^[0-9A-F]{16}$/i.test(subject) ? 'client' : 'other';
}
