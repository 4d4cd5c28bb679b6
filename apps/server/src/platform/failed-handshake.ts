import type { TLSSocket } from 'node:tls';
import { plainAddress } from './address-ranges.ts';
import type { CountedLog } from './counted-log.ts';

/** Logs failures per port and cause, because the number of OpenSSL causes is bounded and that of addresses is not. */
export const handshakeFailures =
  (log: CountedLog, port: 'console' | 'DLMS') =>
  (error: Error & { code?: string }, { authorizationError, remoteAddress }: TLSSocket): void => {
    // After a refused certificate Node closes the connection: the error has no cause, and the address is often unknown. as: the code of
    // OpenSSL, which the types of Node call an error
    const cause = (authorizationError as unknown as string | null) ?? error.code ?? error.name;
    const ip = remoteAddress === undefined ? {} : { ip: plainAddress(remoteAddress) };
    log.warn('A TLS handshake failed', { port, cause, ...ip }, `${port} ${cause}`);
  };
