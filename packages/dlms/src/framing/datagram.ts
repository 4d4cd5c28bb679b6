import { DecodeError } from '../codec/decode-error.ts';
import { WrapperDeframer, type WrapperFrame } from './wrapper.ts';

/**
 * The one frame of a UDP datagram. Fails with `DecodeError` if it is not exactly one: there is no rest to wait for, and
 * none to go on with.
 * @spec IEC 62056-47
 */
export function decodeDatagram(octets: Uint8Array): WrapperFrame {
  const deframer = new WrapperDeframer();
  const [frame] = deframer.push(octets);
  if (frame === undefined)
    throw new DecodeError({ code: 'TRUNCATED', needed: deframer.pending + 1, left: 0 }, { offset: octets.length, path: 'wrapper' });
  const left = octets.length - frame.octets.length;
  if (left > 0) throw new DecodeError({ code: 'TRAILING_BYTES', left }, { offset: frame.octets.length, path: 'wrapper' });
  return frame;
}
