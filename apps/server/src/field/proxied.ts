import type { Socket } from 'node:net';
import { readProxyHeader, type ProxySource } from '#platform/proxy-header.ts';

export interface ProxiedEnds {
  /** The header is read; later octets of the connection follow. */
  onSource(source: ProxySource): void;
  /** The socket is closed by then. */
  onInvalid(why: string): void;
}

/**
 * Reads the PROXY header at the beginning of a connection. A connection of the proxy itself, and one that ends before the header, is a health
 * check: it is closed, and neither function is called.
 */
export function awaitProxyHeader(socket: Socket, withinMs: number, { onSource, onInvalid }: ProxiedEnds): void {
  let held = Buffer.alloc(0);
  const settle = () => {
    clearTimeout(timer);
    socket.off('data', receive);
  };
  const refuse = (why: string) => {
    settle();
    socket.destroy();
    onInvalid(why);
  };
  function receive(chunk: Buffer): void {
    held = Buffer.concat([held, chunk]);
    const header = readProxyHeader(held);
    if (header.kind === 'incomplete') return;
    if (header.kind === 'invalid') return refuse(header.why);
    settle();
    if (header.kind === 'local') return void socket.end(() => socket.destroy());
    socket.pause();
    if (held.length > header.length) socket.unshift(held.subarray(header.length));
    onSource(header.source);
    process.nextTick(() => socket.resume());
  }
  const timer = setTimeout(() => refuse('No PROXY header in time'), withinMs);
  socket.on('data', receive);
  socket.once('close', settle);
}
