import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { selfSigned, type CertificateAndKey } from '#platform/certificate.ts';
import type { WallClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';

const DAY_MS = 86_400_000;
/** Browsers reject certificates with a longer validity. */
const VALID_DAYS = 397;
const RENEW_DAYS = 30;

function readGiven({ cert, key }: CertificateAndKey): CertificateAndKey {
  try {
    const read = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    if (!new X509Certificate(read.cert).checkPrivateKey(createPrivateKey(read.key)))
      throw new StartError('The key of HES_TLS_KEY does not belong to the certificate of HES_TLS_CERT.');
    return read;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The files of HES_TLS_CERT and HES_TLS_KEY cannot be used (${error instanceof Error ? error.message : String(error)}).`,
      { cause: error },
    );
  }
}

const isGoodFor = (cert: string, names: readonly string[], now: number): boolean => {
  const read = new X509Certificate(cert);
  const isNamed = names.every((name) => read.checkHost(name) !== undefined || read.checkIP(name) !== undefined);
  return isNamed && read.validToDate.getTime() > now + RENEW_DAYS * DAY_MS;
};

/** Certificate in the data folder, renewed before it expires and when its names change. */
function ownCertificate(dataDir: string, names: readonly string[], now: number): CertificateAndKey {
  const [certFile, keyFile] = [join(dataDir, 'tls.crt'), join(dataDir, 'tls.key')];
  if (existsSync(certFile) && existsSync(keyFile)) {
    const kept = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    if (isGoodFor(kept.cert, names, now)) return kept;
  }
  const made = selfSigned(names, now, now + VALID_DAYS * DAY_MS);
  writeFileSync(keyFile, made.key, { mode: 0o600 });
  writeFileSync(certFile, made.cert);
  return made;
}

const isAnyAddress = (host: string) => host === '0.0.0.0' || host === '::';

/** Certificate and key for console and API; undefined if the server uses HTTP. */
export function tlsFor(
  config: Pick<Config, 'tls' | 'tlsFiles' | 'tlsNames' | 'host' | 'dataDir'>,
  clock: WallClock,
): CertificateAndKey | undefined {
  if (config.tlsFiles !== undefined) return readGiven(config.tlsFiles);
  if (config.tls === 'off') return undefined;
  const standard = [...(isAnyAddress(config.host) ? [] : [config.host]), hostname().toLowerCase(), 'localhost', '127.0.0.1'];
  return ownCertificate(config.dataDir, [...new Set(config.tlsNames.length > 0 ? config.tlsNames : standard)], clock.now());
}
