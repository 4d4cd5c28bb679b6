import type { GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { WIDEST_WINDOW } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';

/** Maximum consecutive blocks without progress: a sender that repeats three maximum windows does not receive our acknowledgements. */
const MAX_FRUITLESS = 3 * WIDEST_WINDOW;

/** Why an unsolicited block transfer is dropped. */
export type BlockFault =
  /** A block is missing and cannot be requested again. */
  | 'BLOCK_MISSING'
  /** Only repeated blocks arrive. */
  | 'BLOCKS_REPEATED'
  | 'BLOCKS_TOO_LONG';

/** Result of a block, and the acknowledgement to send. */
export type PushStep =
  | { kind: 'more'; reply: Uint8Array | undefined }
  | { kind: 'whole'; apdu: Uint8Array; reply: Uint8Array | undefined }
  | { kind: 'dropped'; why: BlockFault };

/**
 * Reassembles an unsolicited block transfer. A sender with window 0 receives no acknowledgements, so a gap ends its transfer. Any other
 * sender is acknowledged at the end of each window and retransmits lost blocks.
 * @spec GB 9.4 (general block transfer)
 */
export class PushReceiver {
  readonly #transfer: BlockTransfer;
  #isWhole = false;
  #first: Uint8Array | undefined;
  #isHeard = false;
  #fruitless = 0;

  /** `window`: the number of blocks we accept without acknowledging each. */
  constructor(options: { maxOctets: number; window: number }) {
    this.#transfer = new BlockTransfer({ maxPduSize: options.maxOctets, window: options.window }, options.maxOctets);
  }

  /** Whether the sender accepts acknowledgements: its last block had a window above 0. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Octets retained after the transfer has ended. */
  get keptOctets(): number {
    return this.#first?.length ?? 0;
  }

  /** Whether the block is the next one in sequence. */
  expects({ blockNumber }: GeneralBlockTransfer): boolean {
    return blockNumber === this.#transfer.received + 1;
  }

  /** Whether this is the first block of another APDU rather than a repetition of ours. */
  isAnother({ blockNumber, data }: GeneralBlockTransfer): boolean {
    const first = this.#first;
    return blockNumber === 1 && first !== undefined && !(first.length === data.length && first.every((octet, at) => octet === data[at]));
  }

  /** Takes a block. Blocks after the end of the transfer count as repetitions. */
  take(block: GeneralBlockTransfer): PushStep {
    const { control } = block;
    this.#isHeard = control.window > 0;
    const step = this.#isWhole ? 'repeated' : this.#transfer.take(block);
    if (step === 'tooLong') return { kind: 'dropped', why: 'BLOCKS_TOO_LONG' };
    if (step === 'gap' && !this.#isHeard) return { kind: 'dropped', why: 'BLOCK_MISSING' };
    if (step === 'taken' || step === 'whole') this.#fruitless = 0;
    else if (++this.#fruitless > MAX_FRUITLESS) return { kind: 'dropped', why: 'BLOCKS_REPEATED' };
    if (block.blockNumber === 1) this.#first ??= block.data.slice();
    const reply = control.lastBlock || !control.streaming ? this.acknowledge() : undefined;
    if (step !== 'whole') return { kind: 'more', reply };
    this.#isWhole = true;
    return { kind: 'whole', apdu: this.#transfer.takeOctets(), reply };
  }

  /** The acknowledgement of the blocks so far; undefined when the sender accepts none. */
  acknowledge(): Uint8Array | undefined {
    return this.#isHeard ? this.#transfer.acknowledge() : undefined;
  }

  /** Encodes a short response to the complete APDU; it travels in a block if the sender accepts blocks. */
  answer(apdu: Uint8Array): Uint8Array {
    return this.#isHeard ? this.#transfer.acknowledge(apdu) : apdu;
  }
}
