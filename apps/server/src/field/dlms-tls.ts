import type { Socket } from 'node:net';
import { connect, createServer, type PeerCertificate, type Server, type TLSSocket } from 'node:tls';
import { STRONG_TLS } from '#platform/strong-tls.ts';

/** TLS on the DLMS port and for dial-out: PEM texts, and whether connections without TLS are refused. */
export interface DlmsTls {
  mode: 'required' | 'offered';
  cert: string;
  key: string;
  /** Authorities whose certificates DCUs have. */
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

/** Takes over accepted sockets whose peer speaks TLS; those without a certificate of the authority end in the handshake. */
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

/** Serial numbers that a certificate is made out to: `serialNumber` and common name of its subject. */
export function certifiedNames({ subject }: Pick<PeerCertificate, 'subject'>): string[] {
  // as: the attribute 2.5.4.5 is not in the types of Node
  const { CN, serialNumber } = (subject as { CN?: string | string[]; serialNumber?: string | string[] } | undefined) ?? {};
  return [...new Set([serialNumber, CN].flat().filter((name) => name !== undefined))];
}

/** Dials a DCU over TLS with the head-end's certificate; fails unless the certificate of the DCU is made out to this serial number. */
export function dialTls({ cert, key, ca }: DlmsTls, socket: Socket, sn: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The subject is compared below: a DCU has a serial number, not a host name.
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
