import { createServer } from 'node:net';
import { StartError } from '#platform/start-error.ts';

interface Wanted {
  port: number;
  host: string;
  /** Variable that configures the port, such as `HES_PORT`. */
  variable: string;
}

/** Error text for a port that cannot be bound, with the variable that changes it. */
export function explainPort(error: unknown, { port, host, variable }: Wanted): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use by another program. Stop it, or set ${variable} to another port.`, {
      cause: error,
    });
  if (code === 'EACCES')
    return new StartError(`This user may not listen on port ${port}. Set ${variable} to a port above 1023.`, { cause: error });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${host} is no address of this machine. Correct ${variable.replace('PORT', 'HOST')}.`, { cause: error });
  return error;
}

/** Checks that a port can be bound before its part starts. Replaces 0 by a free port. */
export function claimPort(wanted: Wanted): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(explainPort(error, wanted)));
    server.listen({ port: wanted.port, host: wanted.host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : wanted.port));
    });
  });
}
