import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { openModeE, type ModeEOpening, type ModeEOptions, type ModeEStep } from '@hes/dlms/framing/mode-e/opening.ts';
import { joinOctets } from '@hes/dlms/security/cipher.ts';

/** A serial port, for example of the package `serialport`. */
export interface SerialLine {
  /** Opened with eight data bits, no parity and one stop bit. */
  stream: Duplex;
  /** Changes the baud of the open port. */
  setBaud(baud: number): unknown;
  /** Resolves when everything written has left the port; without it, the time that 300 baud take is waited. */
  drain?(): unknown;
}

const BITS_PER_OCTET = 10;
const CALLING_BAUD = 300;
const NOTHING = new Uint8Array(0);

/**
 * Opens HDLC on the optical port of a meter, for `openHdlc` on the same stream afterwards. Fails with `ModeEError`, or with the error of the
 * stream.
 */
export async function openOpticalPort(line: SerialLine, options: ModeEOptions = {}): Promise<ModeEOpening> {
  const inbox = new Inbox(line.stream);
  try {
    const opening = openModeE(options);
    let step = opening.next(NOTHING);
    while (step.done !== true) step = opening.next(await perform(line, inbox, step.value));
    return step.value;
  } finally {
    inbox.close();
  }
}

/** Performs one step; returns the received octets. */
async function perform({ stream, setBaud, drain }: SerialLine, inbox: Inbox, step: ModeEStep): Promise<Uint8Array> {
  switch (step.type) {
    case 'receive':
      return await inbox.next(step.timeoutMs);
    case 'send':
      stream.write(step.octets);
      await (drain === undefined ? delay((1000 * BITS_PER_OCTET * step.octets.length) / CALLING_BAUD) : drain());
      break;
    case 'pause':
      await delay(step.ms);
      break;
    default:
      await setBaud(step.baud);
  }
  return NOTHING;
}

/** Received octets of a stream that were not taken yet. */
class Inbox {
  readonly #stream: Duplex;
  #chunks: Uint8Array[] = [];
  #error: Error | undefined;
  #wake = (): void => {};
  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(Uint8Array.from(chunk));
    this.#wake();
  };
  readonly #fail = (error?: Error): void => {
    this.#error ??= error ?? new Error('The port was closed');
    this.#wake();
  };

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', this.#take);
    stream.on('error', this.#fail);
    stream.on('close', this.#fail);
  }

  /** The octets since the last call, or those that arrive next; none after the timeout. */
  async next(timeoutMs: number): Promise<Uint8Array> {
    if (this.#chunks.length === 0 && this.#error === undefined) {
      const timer = setTimeout(() => this.#wake(), timeoutMs);
      await new Promise<void>((resolve) => (this.#wake = resolve));
      clearTimeout(timer);
      this.#wake = () => {};
    }
    if (this.#error !== undefined) throw this.#error;
    return joinOctets(this.#chunks.splice(0));
  }

  close(): void {
    this.#stream.off('data', this.#take);
    this.#stream.off('error', this.#fail);
    this.#stream.off('close', this.#fail);
  }
}
