import { acknowledgement, BlockReceiver, BlockSender, readBlock, type BlockRules } from './block-stream.ts';

/** A server's side of general block transfer with one client: what comes in blocks, and what goes out in them. */
export class ServerBlocks {
  readonly #rules: BlockRules;
  #receiver: BlockReceiver | undefined;
  #sender: BlockSender | undefined;
  #ownNumber = 1;
  /** Blocks of the client's last transfer that we have. */
  #acknowledge = 0;

  constructor(rules: BlockRules) {
    this.#rules = rules;
  }

  /** Whether an answer has to go in blocks: because it is long, or because the request did. */
  concerns(answer: Uint8Array): boolean {
    return answer.length > this.#rules.maxPduSize || this.#acknowledge > 0;
  }

  /** Another request than a block: it ends every transfer. */
  reset(): void {
    this.#receiver = undefined;
    this.#sender = undefined;
    this.#acknowledge = 0;
    this.#ownNumber = 1;
  }

  /** Begins to send an answer; one block, because the client has not said how many it receives. */
  begin(answer: Uint8Array, window = 1): Uint8Array[] {
    this.#sender = new BlockSender(answer, this.#rules);
    return this.#sender.after(0, Math.min(window, this.#rules.window), this.#acknowledge);
  }

  /**
   * Takes a block in: a request once it is whole, otherwise what is sent back, which may be nothing in the middle of a
   * window. Throws `DecodeError` on a broken block.
   */
  take(apdu: Uint8Array): { request: Uint8Array; window: number } | { blocks: Uint8Array[] } {
    const block = readBlock(apdu);
    const { control, blockNumberAck, data } = block;
    const sender = this.#sender;
    if (sender !== undefined && data.length === 0) {
      if (blockNumberAck < sender.count)
        return { blocks: sender.after(blockNumberAck, Math.min(control.window, this.#rules.window), this.#acknowledge) };
      this.reset();
      return { blocks: [] };
    }
    // The end of the request once more: our answer to it was lost.
    if (sender !== undefined && control.lastBlock && block.blockNumber === this.#acknowledge && this.#acknowledge > 1)
      return { blocks: sender.after(0, Math.min(control.window, this.#rules.window), this.#acknowledge) };
    // A first block begins anew, also for a client that gave up in the middle.
    if (block.blockNumber === 1) this.reset();
    const receiver = (this.#receiver ??= new BlockReceiver());
    const step = receiver.take(block);
    this.#acknowledge = receiver.received;
    if (step === 'whole') {
      this.#receiver = undefined;
      return { request: receiver.octets, window: control.window };
    }
    if (step === 'tooLong') this.reset();
    if (control.streaming && !control.lastBlock && step !== 'tooLong') return { blocks: [] };
    return { blocks: [acknowledgement(this.#rules, this.#ownNumber++, receiver.received)] };
  }
}
