import { DecodeError } from '../codec/decode-error.ts';
import { WrapperDeframer, type WrapperFrame } from './wrapper.ts';

/** Decodes the single frame of a UDP datagram. Throws `DecodeError` unless it contains exactly one frame. @spec IEC 62056-47 */
export function decodeDatagram(octets: Uint8Array): WrapperFrame {
  const deframer = new WrapperDeframer();
  const [frame] = deframer.push(octets);
  if (frame === undefined)
    throw new DecodeError({ code: 'TRUNCATED', needed: deframer.pending + 1, left: 0 }, { offset: octets.length, path: 'wrapper' });
  const left = octets.length - frame.octets.length;
  if (left > 0) throw new DecodeError({ code: 'TRAILING_BYTES', left }, { offset: frame.octets.length, path: 'wrapper' });
  return frame;
}
