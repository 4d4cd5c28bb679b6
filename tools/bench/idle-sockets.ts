/** A server that only accepts connections and reads what arrives: the bare reference of W10. Prints its port. */
import { createServer, type Socket } from 'node:net';

const RELEASE_EVERY_MS = 1_000;
const sockets = new Set<Socket>();
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('data', () => undefined);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') process.stdout.write(`${address.port}\n`);
});
// The head-end collects its garbage when it is idle, too.
setInterval(() => globalThis.gc?.(), RELEASE_EVERY_MS);
process.on('SIGTERM', () => process.exit(0));
