import { readBlock, type BlockRules } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';

/** The server side of general block transfer with one client. */
export class ServerBlocks {
  readonly #rules: BlockRules;
  #transfer: BlockTransfer;

  constructor(rules: BlockRules) {
    this.#rules = rules;
    this.#transfer = new BlockTransfer(rules);
  }

  /** Whether a response must be sent in blocks: it is long, or the request came in blocks. */
  concerns(answer: Uint8Array): boolean {
    return answer.length > this.#rules.maxPduSize || this.#transfer.received > 0;
  }

  /** Resets the transfer: any APDU that is not a block ends it, and numbering restarts at 1. */
  reset(): void {
    this.#transfer = new BlockTransfer(this.#rules);
  }

  /** Starts to send a response. The default is one block, because the client has not stated its window. */
  begin(answer: Uint8Array, window = 1): Uint8Array[] {
    this.#transfer.send(answer);
    return this.#next(window);
  }

  #next(clientWindow: number): Uint8Array[] {
    return this.#transfer.nextBlocks(Math.min(clientWindow, this.#rules.window));
  }

  /**
   * Takes a block: returns the complete request, or the blocks to send, which may be none within a window. Throws `DecodeError` on a
   * broken block.
   */
  take(apdu: Uint8Array): { request: Uint8Array; window: number } | { blocks: Uint8Array[] } {
    const block = readBlock(apdu);
    const { control, blockNumber, data } = block;
    const { isSending, received } = this.#transfer;
    const isAcknowledgement = isSending && data.length === 0;
    // A repeated end of the request means that our response was lost.
    const isEndAgain = isSending && control.lastBlock && blockNumber === received && received > 1;
    // A first block starts a new transfer, even when the client abandoned the previous one.
    if (blockNumber === 1 && !isAcknowledgement) this.reset();
    const transfer = this.#transfer;
    const step = transfer.take(block);
    if ((isAcknowledgement || isEndAgain) && transfer.isSending && step !== 'neverSent') return { blocks: this.#next(control.window) };
    if (isAcknowledgement || step === 'neverSent') {
      this.reset();
      return { blocks: [] };
    }
    if (step === 'whole') return { request: transfer.takeOctets(), window: control.window };
    if (step === 'tooLong') this.reset();
    if (control.streaming && !control.lastBlock && step !== 'tooLong') return { blocks: [] };
    return { blocks: [transfer.acknowledge()] };
  }
}
