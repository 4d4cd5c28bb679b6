import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { MbusDeframer } from '@hes/dlms/framing/mbus/deframer.ts';
import { encodeMbusMessage, MbusAssembler } from '@hes/dlms/framing/mbus/message.ts';
import type { WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import type { DlmsFrame, FrameReport, Framing, FramingHost } from './framing.ts';

/** Maximum milliseconds between two octets of a frame; generous, because the line is reached over networks. */
const QUIET_MS = 500;
/** Consecutive frames that are damaged or carry no DLMS message, after which the peer does not speak DLMS over M-Bus. */
const MAX_USELESS = 64;
/** Octets without a useful frame, after which the peer does not speak DLMS over M-Bus. */
const MAX_NOISE_OCTETS = 64 * 1024;

/** Messages in long frames of the wired M-Bus, as meters push them to a consumer port. @spec EN 13757-2, IEC 62056-7-3 */
export class MbusFraming implements Framing {
  readonly kind = 'mbus';
  readonly isHalfDuplex = true;
  /** An incomplete frame is dropped after a pause and does not end the connection. */
  readonly pending = 0;
  readonly #host: FramingHost;
  readonly #quietMs: number;
  readonly #deframer = new MbusDeframer();
  readonly #assembler = new MbusAssembler();
  #quiet: NodeJS.Timeout | undefined;
  #useless = 0;
  #noise = 0;
  /** Primary address of the last message. */
  #address = 0;

  constructor(host: FramingHost, quietMs = QUIET_MS) {
    this.#host = host;
    this.#quietMs = quietMs;
  }

  push(chunk: Uint8Array): DlmsFrame[] {
    clearTimeout(this.#quiet);
    const damagedBefore = this.#deframer.damaged;
    this.#noise += chunk.length;
    const frames = this.#take(this.#deframer.push(chunk));
    this.#useless += this.#deframer.damaged - damagedBefore;
    if (this.#useless > MAX_USELESS || this.#noise > MAX_NOISE_OCTETS)
      throw this.#deframer.lastDamage ?? new DecodeError({ code: 'BAD_VALUE', reason: 'no DLMS message' }, { offset: 0, path: 'mbus' });
    if (this.#deframer.pending > 0) this.#quiet = setTimeout(() => this.#resync(), this.#quietMs);
    return frames;
  }

  #resync(): void {
    const frames = this.#take(this.#deframer.resync());
    this.#useless++;
    if (frames.length > 0) this.#host.deliver(frames);
  }

  #take(received: ReturnType<MbusDeframer['push']>): DlmsFrame[] {
    return received.flatMap((frame) => {
      const { message, isUseful } = this.#assembler.push(frame);
      this.#useless = isUseful ? 0 : this.#useless + 1;
      if (isUseful) this.#noise = 0;
      if (message === undefined) return [];
      this.#address = message.address;
      return [message];
    });
  }

  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    const octets = encodeMbusMessage({ ...address, address: this.#address, apdu });
    report?.(octets, 'down', true);
    this.#host.write(octets);
  }

  reply(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    this.send(address, apdu, report);
  }

  stop(): void {
    clearTimeout(this.#quiet);
  }
}
