import type { Text } from '@hes/contract/core/text.ts';
import { MAX_CERTIFICATES } from '@hes/contract/asset/certificate.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { readCertificate, type Certificate } from '@hes/dlms/security/certificate.ts';
import { DER, derReader, wholeDer } from '@hes/dlms/security/der.ts';
import { ApiError } from './api-error.ts';

const REASONS = {
  privateKey: {
    en: 'It contains a private key. Private keys stay with their owner; upload a file with certificates only.',
    zh: '文件含有私钥。私钥应由其所有者保管，请仅上传证书。',
  },
  nothing: {
    en: 'It contains no certificate. PEM and DER are accepted, one certificate or several.',
    zh: '文件中没有证书。支持 PEM 和 DER 格式，可含一个或多个证书。',
  },
};

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;

const unreadable = (reason: Text): ApiError => new ApiError('FILE_UNREADABLE', { reason });

/** The certificates of a file of DER encodings, one after the other. A damaged one ends the list with the rest of the file. */
function splitDer(file: Uint8Array): Uint8Array[] {
  const input = derReader(file);
  const found: Uint8Array[] = [];
  while (input.left > 0) {
    const rest = file.subarray(input.offset);
    try {
      found.push(wholeDer(input));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return [...found, rest];
    }
  }
  return found;
}

function splitPem(text: string): Uint8Array[] {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) throw unreadable(REASONS.privateKey);
  return [...text.matchAll(PEM_BLOCK)].map(([, base64 = '']) => new Uint8Array(Buffer.from(base64, 'base64')));
}

/** The encodings of the certificates in a PEM or DER file. Throws `ApiError` when there are none, too many, or a private key. */
export function splitCertificates(file: Uint8Array): Uint8Array[] {
  const found = file[0] === DER.sequence ? splitDer(file) : splitPem(Buffer.from(file).toString('latin1'));
  if (found.length === 0) throw unreadable(REASONS.nothing);
  if (found.length > MAX_CERTIFICATES) throw new ApiError('TOO_MANY_ROWS', { max: MAX_CERTIFICATES });
  return found;
}

/** Decodes a certificate; undefined when it is damaged, or has no key of the suites. */
export function decodeCertificate(octets: Uint8Array): Certificate | undefined {
  try {
    return readCertificate(octets);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
