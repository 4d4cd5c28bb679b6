import type { GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { WIDEST_WINDOW } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';

/** Blocks in a row that bring nothing new: after three of the widest windows the other side does not hear us. */
const MAX_FRUITLESS = 3 * WIDEST_WINDOW;

/** Why an unasked APDU in blocks is dropped. */
export type BlockFault =
  /** One is not there, and nobody can be asked for it. */
  | 'BLOCK_MISSING'
  /** The same ones come again and again. */
  | 'BLOCKS_REPEATED'
  | 'BLOCKS_TOO_LONG';

/** What a block leads to, and what is sent back for it. */
export type PushStep =
  | { kind: 'more'; reply: Uint8Array | undefined }
  | { kind: 'whole'; apdu: Uint8Array; reply: Uint8Array | undefined }
  | { kind: 'dropped'; why: BlockFault };

/**
 * Puts together what one side sends in blocks unasked. A sender whose window is 0 receives no block: nothing is sent back, and a gap is the
 * end of it. Any other hears at the end of each window how far it has come, and sends again what was lost.
 * @spec GB 9.4 (general block transfer)
 */
export class PushReceiver {
  readonly #transfer: BlockTransfer;
  #isWhole = false;
  #first: Uint8Array | undefined;
  #isHeard = false;
  #fruitless = 0;

  /** `window`: blocks we receive without being asked for each. */
  constructor(options: { maxOctets: number; window: number }) {
    this.#transfer = new BlockTransfer({ maxPduSize: options.maxOctets, window: options.window }, options.maxOctets);
  }

  /** Whether its sender hears what is sent back, as his last block said. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Octets it keeps after the end. */
  get keptOctets(): number {
    return this.#first?.length ?? 0;
  }

  /** Whether it is the one that comes next. */
  expects({ blockNumber }: GeneralBlockTransfer): boolean {
    return blockNumber === this.#transfer.received + 1;
  }

  /** Whether it is the first block of another APDU, and not the first of this one once more. */
  isAnother({ blockNumber, data }: GeneralBlockTransfer): boolean {
    const first = this.#first;
    return blockNumber === 1 && first !== undefined && !(first.length === data.length && first.every((octet, at) => octet === data[at]));
  }

  /** What comes after the end is heard as something that came before. */
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

  /** Says how far it has come; undefined where nobody hears that. */
  acknowledge(): Uint8Array | undefined {
    return this.#isHeard ? this.#transfer.acknowledge() : undefined;
  }

  /** A short answer to the whole, as its sender takes it: who was talked to in blocks, and hears them, is answered in one. */
  answer(apdu: Uint8Array): Uint8Array {
    return this.#isHeard ? this.#transfer.acknowledge(apdu) : apdu;
  }
}
