import { fromHex } from '../codec/hex.ts';

export type CurveName = 'P-256' | 'P-384';

/** DER before the private key, by curve: PrivateKeyInfo with an ECPrivateKey that has no public key. */
const BEFORE: Record<CurveName, Uint8Array> = {
  'P-256': fromHex('3041 020100 3013 06072A8648CE3D0201 06082A8648CE3D030107 0427 3025 020101 0420'),
  'P-384': fromHex('304E 020100 3010 06072A8648CE3D0201 06052B81040022 0437 3035 020101 0430'),
};

/** A private key of 32 or 48 octets as PKCS #8, the only form in which WebCrypto takes one without its public key. */
export const pkcs8Of = (privateKey: Uint8Array, curve: CurveName): ArrayBuffer => Uint8Array.of(...BEFORE[curve], ...privateKey).buffer;
