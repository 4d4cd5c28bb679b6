import type { Server } from 'node:http';
import { hostOf } from '#platform/address-ranges.ts';

export interface ConnectionLimits {
  /** Maximum number of open connections of one IPv4 address or IPv6 /64. */
  perAddress: number;
  /** Timeout for receiving a whole request with its body, in milliseconds. */
  requestMs: number;
}

export const USUAL_LIMITS: ConnectionLimits = { perAddress: 500, requestMs: 30_000 };
/** Interval of Node's check for slow requests. */
const CHECK_EVERY_MS = 5_000;

/** Options of the HTTP server that end requests whose head or body is sent too slowly. */
export const slowRequestOptions = ({ requestMs }: ConnectionLimits) => ({
  requestTimeout: requestMs,
  // Node checks at creation that headersTimeout does not exceed requestTimeout, which is 5 minutes by default.
  http: { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, requestMs) },
});

/** Closes connections above the limit of their host as soon as they are accepted. */
export function limitConnections(server: Server, { perAddress }: ConnectionLimits): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const host = hostOf(socket.remoteAddress ?? '');
    const count = (open.get(host) ?? 0) + 1;
    open.set(host, count);
    socket.once('close', () => {
      const left = (open.get(host) ?? 1) - 1;
      if (left === 0) open.delete(host);
      else open.set(host, left);
    });
    if (count > perAddress) socket.destroy();
  });
}
