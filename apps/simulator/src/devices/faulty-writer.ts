import type { Socket } from 'node:net';
import type { Faults } from '#control/faults.ts';

const TRICKLE_MS = 100;
const GLUE_MS = 40;
const SLICES = 20;
const SLICE_MS = 2;
/** Frames that announce more octets than follow: a wrapper header of version 1 between SAPs 1, and an HDLC header. */
export const OVERLONG = {
  wrapper: Uint8Array.of(0, 1, 0, 1, 0, 1, 0xff, 0xff, 0xc4, 1, 0xc1, 0, 9, 4, 1, 2, 3, 4),
  hdlc: Uint8Array.of(0x7e, 0xa7, 0xff, 0x03, 0x03, 0x10, 1, 2, 3, 4),
} as const;

interface QueuedFrame {
  octets: Uint8Array;
  pieceSize: number;
}

/** Writes frames to a socket, with the faults of the line. Octets keep their order, even if cut or collected. */
export class FaultyWriter {
  readonly #faults: Faults;
  readonly #sn: string;
  readonly #socket: Socket;
  readonly #overlong: Uint8Array;
  #queue: QueuedFrame[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(faults: Faults, sn: string, socket: Socket, overlong: Uint8Array = OVERLONG.wrapper) {
    this.#faults = faults;
    this.#sn = sn;
    this.#socket = socket;
    this.#overlong = overlong;
  }

  /** Sends a frame of the DCU and applies the active faults of the line. */
  send(frame: Uint8Array): void {
    const octets = this.#faults.strike(this.#sn, 'line_noise') === undefined ? frame : withFlippedBit(frame);
    const { pieceMs, pieceSize, times } = this.#chooseDelivery(octets);
    if (times === 0) return;
    if (this.#timer === undefined && pieceMs === 0) {
      for (let time = 0; time < times; time++) this.#socket.write(octets);
      return;
    }
    this.#queue.push({ octets: octets.slice(), pieceSize });
    this.#timer ??= setTimeout(() => this.#writeNext(), pieceMs);
  }

  #chooseDelivery(octets: Uint8Array): { pieceMs: number; pieceSize: number; times: number } {
    const at = (kind: Parameters<Faults['strike']>[1]): boolean => this.#faults.strike(this.#sn, kind) !== undefined;
    const whole = { pieceMs: 0, pieceSize: octets.length, times: 1 };
    if (at('torn')) {
      this.#socket.write(octets.subarray(0, Math.ceil(octets.length / 2)), () => this.#socket.destroy());
      return { ...whole, times: 0 };
    }
    if (at('overlong')) {
      this.#socket.write(this.#overlong);
      return { ...whole, times: 0 };
    }
    if (at('trickle')) return { ...whole, pieceMs: TRICKLE_MS, pieceSize: 1 };
    if (at('sliced')) return { ...whole, pieceMs: SLICE_MS, pieceSize: Math.ceil(octets.length / SLICES) };
    if (at('glued')) return { ...whole, pieceMs: GLUE_MS, pieceSize: Number.POSITIVE_INFINITY };
    return at('twice') ? { ...whole, times: 2 } : whole;
  }

  /** Writes a piece of the first frame, or all complete frames up to the first that goes in pieces. */
  #writeNext(): void {
    this.#timer = undefined;
    if (this.#socket.destroyed) return;
    const [first] = this.#queue;
    if (first === undefined) return;
    if (first.pieceSize >= first.octets.length) {
      const whole: Uint8Array[] = [];
      while ((this.#queue[0]?.pieceSize ?? 0) >= (this.#queue[0]?.octets.length ?? Number.NaN))
        whole.push(this.#queue.shift()?.octets ?? new Uint8Array());
      this.#socket.write(Buffer.concat(whole));
    } else {
      this.#socket.write(first.octets.subarray(0, first.pieceSize));
      first.octets = first.octets.subarray(first.pieceSize);
    }
    const [next] = this.#queue;
    if (next !== undefined) this.#timer = setTimeout(() => this.#writeNext(), next.pieceSize === 1 ? TRICKLE_MS : SLICE_MS);
  }
}

/** Frames of HDLC are dropped by their receiver then, and sent again; in a wrapper the APDU is damaged. */
export function withFlippedBit(frame: Uint8Array): Uint8Array {
  const flipped = frame.slice();
  const at = flipped.length - 4;
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return flipped;
}
