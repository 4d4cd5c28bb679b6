import { decode, encode } from '../codec/codec.ts';
import { joinOctets } from '../security/cipher.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { generalBlockTransfer, type GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';

/** Octets of a block besides its data: tag, control, both numbers, and the longest length below 64 KiB. */
const BLOCK_OVERHEAD = 1 + 1 + 2 + 2 + 3;
/** Limit per transfer, more than any attribute holds: an endless transfer must not exhaust our memory. */
export const MAX_STREAM_OCTETS = 16 * 1024 * 1024;
const LAST_NUMBER = 0xffff;
const NOTHING = new Uint8Array(0);
/** The maximum of the six-bit window field. */
export const WIDEST_WINDOW = 63;

/** Parameters of one side of general block transfer. */
export interface BlockRules {
  /** Octets of the largest APDU that the peer accepts. */
  maxPduSize: number;
  /** Number of blocks we accept without acknowledging each, 1 to 63. With 0 we accept none, so the peer cannot acknowledge ours. */
  window: number;
}

export const isBlock = (apdu: Uint8Array): boolean => apdu[0] === APDU_TAGS.generalBlockTransfer;

/** Decodes one block. Throws `DecodeError`. */
export const readBlock = (apdu: Uint8Array): GeneralBlockTransfer => decode(generalBlockTransfer, apdu);

/** Reassembles blocks in sequence; repeated blocks are ignored, and gaps are reported for retransmission. */
export class BlockReceiver {
  readonly #pieces: Uint8Array[] = [];
  readonly #maxOctets: number;
  #size = 0;
  #received: number;

  /** `before`: the number of the block before the first one. */
  constructor(maxOctets = MAX_STREAM_OCTETS, before = 0) {
    this.#maxOctets = maxOctets;
    this.#received = before;
  }

  /** Whether no block with data was received yet. */
  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Skips to a block without data: only such blocks can be missing while the peer has nothing to send. */
  countEmpty(blockNumber: number): void {
    this.#received = Math.max(this.#received, blockNumber);
  }

  /** The highest number up to which no block is missing. */
  get received(): number {
    return this.#received;
  }

  /** Takes a block and reports progress, completion, a repetition, a gap or an exceeded limit. */
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

/** Splits an APDU into blocks and encodes them window by window, beginning after the last acknowledged one. */
export class BlockSender {
  readonly #octets: Uint8Array;
  readonly #rules: BlockRules;
  readonly #blockSize: number;
  readonly #before: number;
  /** Total number of blocks. */
  readonly count: number;

  /** `before`: our block number before the first of these; blocks up to it carried no data. */
  constructor(octets: Uint8Array, rules: BlockRules, before = 0) {
    this.#octets = octets;
    this.#rules = rules;
    this.#before = before;
    const fitting = Math.max(1, rules.maxPduSize - BLOCK_OVERHEAD);
    this.#blockSize = Math.max(fitting, Math.ceil(octets.length / (LAST_NUMBER - before)));
    this.count = Math.max(1, Math.ceil(octets.length / this.#blockSize));
  }

  /** Number of the last block. */
  get last(): number {
    return this.#before + this.count;
  }

  /**
   * Up to `window` blocks after `acknowledged`; `ack` is the block number we acknowledge. Lost blocks without data are sent again as well,
   * because a receiver that counts them would otherwise see a gap.
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

/** Encodes a last block that acknowledges and carries no data, or data that fits one block. */
export function encodeAcknowledgement(
  rules: Pick<BlockRules, 'window'>,
  blockNumber: number,
  blockNumberAck: number,
  data: Uint8Array = NOTHING,
): Uint8Array {
  const control = { lastBlock: true, streaming: false, window: windowOf(rules) };
  return encode(generalBlockTransfer, { control, blockNumber: blockNumber & LAST_NUMBER, blockNumberAck, data });
}

/** Splits an unacknowledged APDU, such as a push, into blocks that fit the receiver; returns it unchanged when it fits. */
export function unconfirmedBlocks(apdu: Uint8Array, maxPduSize: number): Uint8Array[] {
  if (apdu.length <= maxPduSize) return [apdu];
  const sender = new BlockSender(apdu, { maxPduSize, window: 0 });
  return sender.after(0, sender.count, 0);
}
