import { readBlock, type BlockRules } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';

/** A server's side of general block transfer with one client: what comes in blocks, and what goes out in them. */
export class ServerBlocks {
  readonly #rules: BlockRules;
  #transfer: BlockTransfer;

  constructor(rules: BlockRules) {
    this.#rules = rules;
    this.#transfer = new BlockTransfer(rules);
  }

  /** Whether an answer has to go in blocks: because it is long, or because the request did. */
  concerns(answer: Uint8Array): boolean {
    return answer.length > this.#rules.maxPduSize || this.#transfer.received > 0;
  }

  /** Another request than a block: it ends every transfer, and block numbers begin at 1 again. */
  reset(): void {
    this.#transfer = new BlockTransfer(this.#rules);
  }

  /** Begins to send an answer; one block, because the client has not said how many it receives. */
  begin(answer: Uint8Array, window = 1): Uint8Array[] {
    this.#transfer.send(answer);
    return this.#next(window);
  }

  #next(clientWindow: number): Uint8Array[] {
    return this.#transfer.nextBlocks(Math.min(clientWindow, this.#rules.window));
  }

  /**
   * Takes a block in: a request once it is whole, otherwise what is sent back, which may be nothing in the middle of a
   * window. Throws `DecodeError` on a broken block.
   */
  take(apdu: Uint8Array): { request: Uint8Array; window: number } | { blocks: Uint8Array[] } {
    const block = readBlock(apdu);
    const { control, blockNumber, data } = block;
    const { isSending, received } = this.#transfer;
    const isAcknowledgement = isSending && data.length === 0;
    // The end of the request once more: our answer to it was lost.
    const isEndAgain = isSending && control.lastBlock && blockNumber === received && received > 1;
    // A first block begins anew, also for a client that gave up in the middle.
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
