import type { FastifyRequest } from 'fastify';
import { addressOf } from '#platform/address.ts';

/** Client address: the one a trusted proxy forwards, if valid; otherwise the peer of the connection. */
export const clientAddress = (request: FastifyRequest): string =>
  addressOf(request.ip) ?? addressOf(request.raw.socket.remoteAddress) ?? '0.0.0.0';

/** RFC 9112 3.2 allows one Host header: a proxy and the server could otherwise use different ones. */
export const hasOneHost = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length <= 1;
