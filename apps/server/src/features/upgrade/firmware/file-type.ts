import { FIRMWARE_ENDINGS } from '@hes/contract/upgrade/firmware.ts';

/** Number of leading octets that the detection of the file type reads. */
export const SNIFFED_OCTETS = 64;

const startsWith = (head: Uint8Array, ...octets: number[]): boolean => octets.every((octet, index) => head[index] === octet);
const INTEL_HEX = /^:[0-9A-Fa-f]{10,}/;

/** Programs, pages, pictures and documents: rejected as firmware, even with a valid file name. */
const FOREIGN: readonly { name: string; is(head: Uint8Array): boolean }[] = [
  { name: 'Windows program', is: (head) => startsWith(head, 0x4d, 0x5a) },
  { name: 'PDF', is: (head) => startsWith(head, 0x25, 0x50, 0x44, 0x46) },
  { name: 'PNG', is: (head) => startsWith(head, 0x89, 0x50, 0x4e, 0x47) },
  { name: 'JPEG', is: (head) => startsWith(head, 0xff, 0xd8, 0xff) },
  { name: 'script', is: (head) => startsWith(head, 0x23, 0x21) },
  { name: 'HTML', is: (head) => /^\s*<(?:!doctype|html|script|\?xml|svg)/i.test(Buffer.from(head).toString('latin1')) },
];

/** Detects the format of a file by its first octets and its extension; `wrong` is the reason for rejection. */
export function fileTypeOf(name: string, head: Uint8Array): { format: string } | { wrong: string } {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (!FIRMWARE_ENDINGS.some((known) => known === ending)) return { wrong: `.${FIRMWARE_ENDINGS.join(', .')}` };
  const foreign = FOREIGN.find((kind) => kind.is(head));
  if (foreign !== undefined) return { wrong: foreign.name };
  const isZip = startsWith(head, 0x50, 0x4b, 0x03, 0x04);
  const isHex = INTEL_HEX.test(Buffer.from(head).toString('latin1'));
  if (ending === 'zip') return isZip ? { format: 'zip' } : { wrong: 'no ZIP archive' };
  if (ending === 'hex') return isHex ? { format: 'hex' } : { wrong: 'no Intel HEX records' };
  if (isZip) return { wrong: `ZIP archive named .${ending}` };
  return { format: ending };
}
