import type { FastifyRequest } from 'fastify';
import { addressOf } from '#platform/address.ts';

/** Where a call comes from: what a trusted proxy forwards, as far as it is an address; else the peer of the connection. */
export const clientAddress = (request: FastifyRequest): string =>
  addressOf(request.ip) ?? addressOf(request.raw.socket.remoteAddress) ?? '0.0.0.0';

/** Proxies and servers could read different ones of two: HTTP allows one. */
export const hasOneHost = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length <= 1;
