import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** Address and port of the peer of a proxy. */
export interface ProxySource {
  address: string;
  port: number;
}

/** `local`: a connection of the proxy itself, such as a health check. `length`: octets of the header. */
export type ProxyHeader =
  | { kind: 'incomplete' }
  | { kind: 'invalid'; why: string }
  | { kind: 'local'; length: number }
  | { kind: 'proxied'; length: number; source: ProxySource };

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const TEXT = Buffer.from('PROXY ', 'latin1');
const HEAD_OCTETS = 16;
/** A header with its extensions (TLV); a proxy with certificates adds some hundred octets. */
const MAX_OCTETS = 4_096;
/** Longest line of version 1, with CR LF. */
const MAX_TEXT_OCTETS = 107;
const COMMAND = { local: 0x20, proxy: 0x21 } as const;
const FAMILY = { unspecified: 0x00, tcp4: 0x11, tcp6: 0x21 } as const;

const invalid = (why: string): ProxyHeader => ({ kind: 'invalid', why });
const startsWith = (octets: Buffer, start: Buffer): boolean =>
  octets.subarray(0, start.length).equals(start.subarray(0, Math.min(octets.length, start.length)));

/**
 * Reads the header with which a proxy tells the address of its peer: versions 1 (text) and 2 (binary) of the PROXY protocol of HAProxy,
 * `doc/proxy-protocol.txt` sections 2.1 and 2.2. Takes the first octets of a connection; `incomplete`: more are needed. Throws nothing.
 */
export function readProxyHeader(octets: Buffer): ProxyHeader {
  if (octets.length === 0) return { kind: 'incomplete' };
  if (startsWith(octets, SIGNATURE)) return readBinary(octets);
  if (startsWith(octets, TEXT)) return readText(octets);
  return invalid('No PROXY header');
}

function readBinary(octets: Buffer): ProxyHeader {
  if (octets.length < HEAD_OCTETS) return { kind: 'incomplete' };
  const [command, family] = [octets[12], octets[13]];
  const length = HEAD_OCTETS + octets.readUInt16BE(14);
  if (command !== COMMAND.local && command !== COMMAND.proxy) return invalid('Unknown version or command');
  if (length > MAX_OCTETS) return invalid('Header too long');
  if (octets.length < length) return { kind: 'incomplete' };
  // Section 2.2: the receiver ignores addresses of an unspecified family.
  if (command === COMMAND.local || family === FAMILY.unspecified) return { kind: 'local', length };
  const block = octets.subarray(HEAD_OCTETS, length);
  if (family === FAMILY.tcp4 && block.length >= 12)
    return { kind: 'proxied', length, source: { address: block.subarray(0, 4).join('.'), port: block.readUInt16BE(8) } };
  if (family === FAMILY.tcp6 && block.length >= 36)
    return { kind: 'proxied', length, source: { address: textOfIPv6(block.subarray(0, 16)), port: block.readUInt16BE(32) } };
  return invalid('Not a TCP address');
}

function textOfIPv6(octets: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => octets.readUInt16BE(index * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

function readText(octets: Buffer): ProxyHeader {
  const end = octets.subarray(0, MAX_TEXT_OCTETS).indexOf('\r\n');
  if (end === -1) return octets.length < MAX_TEXT_OCTETS ? { kind: 'incomplete' } : invalid('Header too long');
  const length = end + 2;
  const [, protocol, address = '', , port = '', , ...rest] = octets.toString('latin1', 0, end).split(' ');
  // Section 2.1: whatever follows this word is ignored.
  if (protocol === 'UNKNOWN') return { kind: 'local', length };
  const isAddress = protocol === 'TCP4' ? isIPv4(address) : protocol === 'TCP6' && isIPv6(address) && !address.includes('%');
  if (!isAddress || rest.length > 0 || !/^\d{1,5}$/.test(port) || Number(port) > 65_535) return invalid('Not a TCP address');
  return { kind: 'proxied', length, source: { address, port: Number(port) } };
}
