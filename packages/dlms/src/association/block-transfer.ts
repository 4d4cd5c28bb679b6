import type { GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { encodeAcknowledgement, BlockReceiver, BlockSender, type BlockRules } from './block-stream.ts';

/** Effect of a block of the other side. */
export type BlockStep =
  /** Data that comes next; `whole` with the last of them. */
  | 'taken'
  | 'whole'
  /** An acknowledgement of more of our blocks than before, or of no more than before. */
  | 'acknowledged'
  | 'unacknowledged'
  /** Data that was taken before, or that comes after a missing block. */
  | 'repeated'
  | 'gap'
  | 'tooLong'
  /** An acknowledgement of a block that was never sent. */
  | 'neverSent';

/**
 * One side of a general block transfer: client, server and receiver of pushes number their blocks alike. Both sides count every block
 * of theirs from 1, blocks without data included; so an answer continues after the acknowledgements of its request.
 * @spec GB 9.4 (general block transfer)
 */
export class BlockTransfer {
  readonly #rules: BlockRules;
  readonly #maxOctets: number | undefined;
  #receiver: BlockReceiver;
  #sender: BlockSender | undefined;
  /** Number of our last block, sent or yet to be sent. */
  #ownNumber = 0;
  #sent = 0;
  #acknowledged = 0;
  #peerWindow = 1;

  constructor(rules: BlockRules, maxOctets?: number) {
    this.#rules = rules;
    this.#maxOctets = maxOctets;
    this.#receiver = new BlockReceiver(maxOctets);
  }

  /** Number of the last block of the other side before the first missing one. */
  get received(): number {
    return this.#receiver.received;
  }

  /** Number of our last block before the first one that is not acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Whether an APDU of ours has blocks that are not acknowledged. */
  get isSending(): boolean {
    return this.#sender !== undefined && this.#acknowledged < this.#sender.last;
  }

  /** Blocks that the other side receives at once; 1 until it has said so. */
  get peerWindow(): number {
    return this.#peerWindow;
  }

  /** Cuts an APDU into blocks; `nextBlocks` gives them. */
  send(apdu: Uint8Array): void {
    this.#sender = new BlockSender(apdu, this.#rules, this.#ownNumber);
    this.#ownNumber = this.#sender.last;
  }

  /** The first blocks that are not acknowledged, at most `window` of them. */
  nextBlocks(window: number): Uint8Array[] {
    const blocks = this.#sender?.after(this.#acknowledged, window, this.received) ?? [];
    this.#sent = Math.max(this.#sent, this.#acknowledged + blocks.length);
    return blocks;
  }

  /** A block that acknowledges what was received; `data` is a short APDU, if there is one to send. */
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
    // Data cannot answer an APDU that is not complete yet.
    if (this.#sent < sender.last) return isNews ? 'acknowledged' : 'unacknowledged';
    const step = this.#receiver.take(block);
    // An answer says that all of the request has arrived, whatever number it acknowledges.
    if (step === 'taken' || step === 'whole') this.#acknowledged = Math.max(this.#acknowledged, sender.last);
    return step;
  }

  /** The APDU that is whole. The numbers continue with the next one. */
  takeOctets(): Uint8Array {
    const { octets, received } = this.#receiver;
    this.#receiver = new BlockReceiver(this.#maxOctets, received);
    return octets;
  }
}
