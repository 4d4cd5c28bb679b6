import type { TLSSocket } from 'node:tls';
import { plainAddress } from './address-ranges.ts';
import type { CountedLog } from './counted-log.ts';

/** Logs failures by port and cause, whose number OpenSSL bounds, and not by address, whose number the peers decide. */
export const handshakeFailures =
  (log: CountedLog, port: 'console' | 'DLMS') =>
  (error: Error & { code?: string }, { authorizationError, remoteAddress }: TLSSocket): void => {
    // After a refused certificate Node closes the connection: the error says only that, and the address is often gone.
    // as: the code of OpenSSL, which the types of Node call an error
    const cause = (authorizationError as unknown as string | null) ?? error.code ?? error.name;
    const ip = remoteAddress === undefined ? {} : { ip: plainAddress(remoteAddress) };
    log.warn('A TLS handshake failed', { port, cause, ...ip }, `${port} ${cause}`);
  };
