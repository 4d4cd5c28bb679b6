import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { partPolicy, securityHeaders } from './console.ts';

/** Sends a response without body, with the security headers, to a request that reached no route, and closes the connection. */
export function sendBareAnswer(socket: Duplex, status: number, isSecure: boolean): void {
  const headers = { ...securityHeaders('/', isSecure), 'content-security-policy': partPolicy, 'content-length': '0', connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
}

/** HTTP status for a request that Node's parser rejected. */
export function statusOfFault(code: string): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
