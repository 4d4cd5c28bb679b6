import type { GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { encodeAcknowledgement, BlockReceiver, BlockSender, type BlockRules } from './block-stream.ts';

/** Effect of a received block. */
export type BlockStep =
  /** The next data in sequence; `whole` completes the APDU. */
  | 'taken'
  | 'whole'
  /** A block without data that acknowledges further blocks of ours, or none. */
  | 'acknowledged'
  | 'unacknowledged'
  /** Data that was received before, or data after a missing block. */
  | 'repeated'
  | 'gap'
  | 'tooLong'
  /** Acknowledges a block that was never sent. */
  | 'neverSent';

/**
 * One side of a general block transfer; client, server and push receiver share the numbering. Each side numbers its blocks from 1, those
 * without data included, so a response continues after the acknowledgements of its request.
 * @spec GB 9.4 (general block transfer)
 */
export class BlockTransfer {
  readonly #rules: BlockRules;
  readonly #maxOctets: number | undefined;
  #receiver: BlockReceiver;
  #sender: BlockSender | undefined;
  /** Number of our last block, sent or queued. */
  #ownNumber = 0;
  #sent = 0;
  #acknowledged = 0;
  #peerWindow = 1;

  constructor(rules: BlockRules, maxOctets?: number) {
    this.#rules = rules;
    this.#maxOctets = maxOctets;
    this.#receiver = new BlockReceiver(maxOctets);
  }

  /** The highest number up to which no block of the peer is missing. */
  get received(): number {
    return this.#receiver.received;
  }

  /** The highest number up to which the peer has acknowledged our blocks. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Whether blocks of our APDU are unacknowledged. */
  get isSending(): boolean {
    return this.#sender !== undefined && this.#acknowledged < this.#sender.last;
  }

  /** Blocks that the peer accepts at once; 1 until it states its window. */
  get peerWindow(): number {
    return this.#peerWindow;
  }

  /** Splits an APDU into blocks; `nextBlocks` returns them. */
  send(apdu: Uint8Array): void {
    this.#sender = new BlockSender(apdu, this.#rules, this.#ownNumber);
    this.#ownNumber = this.#sender.last;
  }

  /** The first unacknowledged blocks, at most `window` of them. */
  nextBlocks(window: number): Uint8Array[] {
    const blocks = this.#sender?.after(this.#acknowledged, window, this.received) ?? [];
    this.#sent = Math.max(this.#sent, this.#acknowledged + blocks.length);
    return blocks;
  }

  /** A block that acknowledges the received ones; `data` may carry a short APDU. */
  acknowledge(data?: Uint8Array): Uint8Array {
    this.#sent = ++this.#ownNumber;
    return encodeAcknowledgement(this.#rules, this.#ownNumber, this.received, data);
  }

  take(block: GeneralBlockTransfer): BlockStep {
    const { control, blockNumber, blockNumberAck, data } = block;
    if (control.window > 0) this.#peerWindow = control.window;
    const sender = this.#sender;
    if (sender !== undefined && blockNumberAck > this.#sent) return 'neverSent';
    const isNews = blockNumberAck > this.#acknowledged;
    if (isNews) this.#acknowledged = Math.min(blockNumberAck, this.#ownNumber);
    if (sender === undefined) return this.#receiver.take(block);
    if (data.length === 0 && this.#receiver.isEmpty) {
      this.#receiver.countEmpty(blockNumber);
      return isNews ? 'acknowledged' : 'unacknowledged';
    }
    // Data cannot be the response to an APDU that is not completely sent.
    if (this.#sent < sender.last) return isNews ? 'acknowledged' : 'unacknowledged';
    const step = this.#receiver.take(block);
    // A response implies that the whole request arrived, even if its acknowledgement number lags behind.
    if (step === 'taken' || step === 'whole') this.#acknowledged = Math.max(this.#acknowledged, sender.last);
    return step;
  }

  /** Returns the complete APDU. Numbering continues with the next one. */
  takeOctets(): Uint8Array {
    const { octets, received } = this.#receiver;
    this.#receiver = new BlockReceiver(this.#maxOctets, received);
    return octets;
  }
}
