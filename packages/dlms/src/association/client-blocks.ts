import { AssociationError } from './association-error.ts';
import { isBlock, readBlock, type BlockRules } from './block-stream.ts';
import type { BlockStep, BlockTransfer } from './block-transfer.ts';
import { WAIT, type Exchange } from './exchange.ts';

/** Maximum consecutive requests without progress before the transfer fails. */
const MAX_FRUITLESS = 4;

export interface ClientBlockRules extends BlockRules {
  /** Sends a block without awaiting a response. When absent, the blocks of a request go one at a time. */
  post?: ((block: Uint8Array) => void) | undefined;
}

/** Protects single blocks, for peers that protect each block separately. */
export interface BlockCarrier {
  protect(block: Uint8Array): Uint8Array;
  unprotect(apdu: Uint8Array): Uint8Array;
}

/** Passes blocks through: the APDU was protected before it was split. */
export const BARE: BlockCarrier = { protect: (block) => block, unprotect: (apdu) => apdu };

/** Posts the next window of a request except its last block, which it returns: the peer acknowledges that one. */
export function sendWindow(transfer: BlockTransfer, { post }: ClientBlockRules): Uint8Array {
  const blocks = transfer.nextBlocks(post === undefined ? 1 : transfer.peerWindow);
  for (const block of blocks.slice(0, -1)) post?.(block);
  return blocks.at(-1) ?? WAIT;
}

/**
 * Sends the remaining blocks of a request and collects its response. Retransmits, or requests retransmission, after a gap and when the
 * driver hands in an empty APDU (timeout). An APDU that is not a block ends the transfer and is returned. `first` is the first APDU
 * received.
 */
export function* transferBlocks(
  first: Uint8Array,
  transfer: BlockTransfer,
  rules: ClientBlockRules,
  carrier: BlockCarrier = BARE,
): Exchange<Uint8Array> {
  let fruitless = 0;
  let inWindow = 0;
  let apdu = first;
  for (;;) {
    if (apdu.length > 0 && !isBlock(apdu)) return apdu;
    const block = apdu.length === 0 ? undefined : readBlock(apdu);
    const step = block && transfer.take(block);
    if (step === 'whole') return transfer.takeOctets();
    throwIfUnusable(step);
    if (step === 'taken' || step === 'acknowledged') fruitless = 0;
    inWindow++;
    // The peer continues without a new request: with its response, or with more blocks of a window, up to the window size.
    const isComing = !transfer.isSending && (isAcknowledgement(step) || (block?.control.streaming === true && !block.control.lastBlock));
    let next: Uint8Array = WAIT;
    if (!isComing || inWindow > rules.window) {
      if (fruitless++ === MAX_FRUITLESS) throw new AssociationError('BLOCK_ERROR', describeMissing(transfer));
      inWindow = 0;
      next = transfer.isSending ? sendWindow(transfer, rules) : carrier.protect(transfer.acknowledge());
    }
    const answer = yield next;
    apdu = answer.length === 0 ? answer : carrier.unprotect(answer);
  }
}

const isAcknowledgement = (step: BlockStep | undefined): boolean => step === 'acknowledged' || step === 'unacknowledged';

const describeMissing = (transfer: BlockTransfer): string =>
  transfer.isSending ? `block ${transfer.acknowledged + 1} is not acknowledged` : `block ${transfer.received + 1} does not come`;

function throwIfUnusable(step: BlockStep | undefined): void {
  if (step === 'tooLong') throw new AssociationError('BLOCK_ERROR', 'more octets than the limit');
  if (step === 'neverSent') throw new AssociationError('BLOCK_ERROR', 'an unsent block is acknowledged');
}
