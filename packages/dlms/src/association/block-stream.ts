import { decode, encode } from '../codec/codec.ts';
import { joinOctets } from '../security/cipher.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { generalBlockTransfer, type GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';

/** Octets of a block around its data: tag, control, both numbers, and the longest length that fits 64 KiB. */
const BLOCK_OVERHEAD = 1 + 1 + 2 + 2 + 3;
/** More than any meter keeps in one attribute: a peer that sends on and on must not take our memory. */
export const MAX_STREAM_OCTETS = 16 * 1024 * 1024;
const LAST_NUMBER = 0xffff;
const NOTHING = new Uint8Array(0);
/** What fits into the six bits of a window. */
export const WIDEST_WINDOW = 63;

/** How one side takes part in general block transfer. */
export interface BlockRules {
  /** Octets of the largest APDU the other side receives. */
  maxPduSize: number;
  /** Blocks we receive without being asked for each, 1 to 63; 0: none, so nobody acknowledges what we send. */
  window: number;
}

export const isBlock = (apdu: Uint8Array): boolean => apdu[0] === APDU_TAGS.generalBlockTransfer;

/** One block. Throws `DecodeError`. */
export const readBlock = (apdu: Uint8Array): GeneralBlockTransfer => decode(generalBlockTransfer, apdu);

/** Takes blocks in; what is missing is asked for again, and what comes twice is taken once. */
export class BlockReceiver {
  readonly #pieces: Uint8Array[] = [];
  readonly #maxOctets: number;
  #size = 0;
  #received: number;

  /** `before`: the number of the block before the first one of these. */
  constructor(maxOctets = MAX_STREAM_OCTETS, before = 0) {
    this.#maxOctets = maxOctets;
    this.#received = before;
  }

  /** Whether no block with data has been taken yet. */
  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Counts a block without data, and those before it: only such blocks can be missing while the other side has nothing to send. */
  countEmpty(blockNumber: number): void {
    this.#received = Math.max(this.#received, blockNumber);
  }

  /** The highest number up to which every block has come. */
  get received(): number {
    return this.#received;
  }

  /** Whether the block brought something new, completed the APDU, or shows that the other side cannot be followed. */
  take({ control, blockNumber, data }: GeneralBlockTransfer): 'taken' | 'whole' | 'repeated' | 'gap' | 'tooLong' {
    if (blockNumber <= this.#received) return 'repeated';
    if (blockNumber !== this.#received + 1) return 'gap';
    this.#size += data.length;
    if (this.#size > this.#maxOctets) return 'tooLong';
    this.#received = blockNumber;
    this.#pieces.push(data.slice());
    return control.lastBlock ? 'whole' : 'taken';
  }

  get octets(): Uint8Array {
    return joinOctets(this.#pieces);
  }
}

/** Gives an APDU away in blocks, as many at once as the other side receives, and again from where it lost one. */
export class BlockSender {
  readonly #octets: Uint8Array;
  readonly #rules: BlockRules;
  readonly #blockSize: number;
  readonly #before: number;
  /** How many blocks there are. */
  readonly count: number;

  /** `before`: the number of our block before the first one of these; blocks up to it had no data. */
  constructor(octets: Uint8Array, rules: BlockRules, before = 0) {
    this.#octets = octets;
    this.#rules = rules;
    this.#before = before;
    const fitting = Math.max(1, rules.maxPduSize - BLOCK_OVERHEAD);
    this.#blockSize = Math.max(fitting, Math.ceil(octets.length / (LAST_NUMBER - before)));
    this.count = Math.max(1, Math.ceil(octets.length / this.#blockSize));
  }

  /** The number of the last block. */
  get last(): number {
    return this.#before + this.count;
  }

  /**
   * The blocks after `acknowledged`, at most `window` of them; `ack` is what we have received ourselves. A lost block without data
   * is sent again, too: a receiver that counts it would take the block after it for one after a gap.
   */
  after(acknowledged: number, window: number, ack: number): Uint8Array[] {
    const last = Math.min(this.last, acknowledged + Math.max(1, window));
    const ownWindow = windowOf(this.#rules);
    const blocks: Uint8Array[] = [];
    for (let blockNumber = acknowledged + 1; blockNumber <= last; blockNumber++) {
      const control = { lastBlock: blockNumber === this.last, streaming: blockNumber < last || ownWindow === 0, window: ownWindow };
      const from = (blockNumber - this.#before - 1) * this.#blockSize;
      const data = from < 0 ? NOTHING : this.#octets.subarray(from, from + this.#blockSize);
      blocks.push(encode(generalBlockTransfer, { control, blockNumber, blockNumberAck: ack, data }));
    }
    return blocks;
  }
}

const windowOf = ({ window }: Pick<BlockRules, 'window'>): number => Math.min(Math.max(0, window), WIDEST_WINDOW);

/** Says what has been received by a side that has nothing to send, or only what fits this block. */
export function encodeAcknowledgement(
  rules: Pick<BlockRules, 'window'>,
  blockNumber: number,
  blockNumberAck: number,
  data: Uint8Array = NOTHING,
): Uint8Array {
  const control = { lastBlock: true, streaming: false, window: windowOf(rules) };
  return encode(generalBlockTransfer, { control, blockNumber: blockNumber & LAST_NUMBER, blockNumberAck, data });
}

/** An APDU that nobody acknowledges, such as a push, in blocks of what the receiver takes; as it is when it fits. */
export function unconfirmedBlocks(apdu: Uint8Array, maxPduSize: number): Uint8Array[] {
  if (apdu.length <= maxPduSize) return [apdu];
  const sender = new BlockSender(apdu, { maxPduSize, window: 0 });
  return sender.after(0, sender.count, 0);
}
