import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { lookupFor } from './guarded-network.ts';
import { STRONG_TLS } from './strong-tls.ts';

export interface ClientIdentity {
  cert: string;
  key: string;
}

export interface GuardedTarget {
  host: string;
  port: number;
  isEncrypted: boolean;
  /** The protocol above encrypts, as SSH does. */
  isProtected?: boolean;
  /** PEM certificates that are trusted; empty: the public authorities. */
  ca: string;
  /** PEM certificate and key that are shown to a target that asks for them. */
  client?: ClientIdentity | undefined;
  /** Internal networks that may be reached, without encryption as well. */
  networks: readonly string[];
}

/** Options of TLS to a target: its certificate must have its name and be signed by a trusted authority. */
export const tlsOptionsOf = ({ ca, client }: Pick<GuardedTarget, 'ca' | 'client'>) => ({
  minVersion: STRONG_TLS.minVersion,
  ciphers: STRONG_TLS.ciphers,
  rejectUnauthorized: true,
  ...(ca === '' ? {} : { ca }),
  ...client,
});

/**
 * Begins a connection to a target that a user entered. A name is judged by its addresses at the connection; an address in place of a name is
 * judged by the caller, see `refusalOf`. Failures are events of the socket.
 */
export function openGuardedSocket(target: GuardedTarget): Socket {
  const { host, port, isEncrypted, isProtected = false, networks } = target;
  const way = { host, port, lookup: lookupFor(isEncrypted || isProtected, networks) };
  return isEncrypted ? connectTls({ ...way, ...tlsOptionsOf(target) }) : connect(way);
}
