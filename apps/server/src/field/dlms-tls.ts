import type { Socket } from 'node:net';
import { connect, createServer, type PeerCertificate, type Server, type TLSSocket } from 'node:tls';
import { STRONG_TLS } from '#platform/strong-tls.ts';

/** TLS on the DLMS port and for dial-out: PEM texts, and whether connections without TLS are refused. */
export interface DlmsTls {
  mode: 'required' | 'offered';
  cert: string;
  key: string;
  /** Certificates of the authorities that issue the certificates of DCUs. */
  ca: string;
}

/** First octet of a TLS record that carries a handshake; a wrapper begins with 0. */
export const TLS_HANDSHAKE = 0x16;

export interface TlsAcceptorOptions {
  handshakeMs: number;
  onSecure(socket: TLSSocket): void;
  /** The socket is closed by then. */
  onFailure(error: Error, socket: TLSSocket): void;
}

/** Returns a function that starts TLS on an accepted socket. The handshake fails without a client certificate of the authority. */
export function createTlsAcceptor(
  { cert, key, ca }: DlmsTls,
  { handshakeMs, onSecure, onFailure }: TlsAcceptorOptions,
): (socket: Socket) => void {
  const options = {
    ...STRONG_TLS,
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  } as const;
  const server: Server = createServer(options, onSecure);
  server.on('tlsClientError', onFailure);
  return (socket) => void server.emit('connection', socket);
}

/** Serial numbers in the subject of a certificate: `serialNumber` and common name. */
export function certifiedNames({ subject }: Pick<PeerCertificate, 'subject'>): string[] {
  // as: the attribute 2.5.4.5 is not in the types of Node
  const { CN, serialNumber } = (subject as { CN?: string | string[]; serialNumber?: string | string[] } | undefined) ?? {};
  return [...new Set([serialNumber, CN].flat().filter((name) => name !== undefined))];
}

/** Starts TLS on a dialled socket with the certificate of the head-end; fails unless the certificate of the DCU names this serial number. */
export function dialTls({ cert, key, ca }: DlmsTls, socket: Socket, sn: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The subject is compared below, because a DCU has a serial number and no host name.
    const secured = connect({
      ...STRONG_TLS,
      socket,
      cert,
      key,
      ca,
      rejectUnauthorized: true,
      checkServerIdentity: () => undefined,
    });
    secured.once('error', reject);
    secured.once('close', () => reject(new Error('The DCU ended the TLS handshake')));
    secured.once('secureConnect', () => {
      const names = certifiedNames(secured.getPeerCertificate());
      secured.removeAllListeners('error');
      secured.removeAllListeners('close');
      if (names.includes(sn)) return resolve(secured);
      secured.on('error', () => undefined);
      secured.destroy();
      reject(new Error(`The certificate there is of ${names.join(', ') || 'no DCU'}`));
    });
  });
}
