import { AssociationError } from './association-error.ts';
import { isBlock, readBlock, type BlockRules } from './block-stream.ts';
import type { BlockStep, BlockTransfer } from './block-transfer.ts';
import { WAIT, type Exchange } from './exchange.ts';

/** How often the same block is asked for, or sent, before the other side is given up. */
const MAX_ATTEMPTS = 3;

export interface ClientBlockRules extends BlockRules {
  /** Sends a block without waiting for an answer; without it the blocks of a request go one at a time. */
  post?: ((block: Uint8Array) => void) | undefined;
}

/** How blocks travel: as they are, or each protected by itself. */
export interface BlockCarrier {
  protect(block: Uint8Array): Uint8Array;
  unprotect(apdu: Uint8Array): Uint8Array;
}

/** A carrier that changes nothing: what is cut into blocks was protected before. */
export const BARE: BlockCarrier = { protect: (block) => block, unprotect: (apdu) => apdu };

/** Posts the next blocks of a request, as many as the server receives at once, and returns the one to wait after. */
export function sendWindow(transfer: BlockTransfer, { post }: ClientBlockRules): Uint8Array {
  const blocks = transfer.nextBlocks(post === undefined ? 1 : transfer.peerWindow);
  for (const block of blocks.slice(0, -1)) post?.(block);
  return blocks.at(-1) ?? WAIT;
}

/**
 * Sends the rest of a request in blocks as it is acknowledged, and collects the APDU that answers it. Sends again, or asks again for,
 * what was lost: after a gap, and when its driver hands in an empty APDU to say that nothing came in time. An APDU that is no block
 * ends the transfer and is given back. `first`: what answered the first blocks, or a short request.
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
    // The answer to a request that has arrived, and more blocks of a window, come by themselves; too many of them do not.
    const isComing = !transfer.isSending && (isAcknowledgement(step) || (block?.control.streaming === true && !block.control.lastBlock));
    let next: Uint8Array = WAIT;
    if (!isComing || inWindow > rules.window) {
      if (fruitless++ > MAX_ATTEMPTS) throw new AssociationError('BLOCK_ERROR', describeMissing(transfer));
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
  if (step === 'tooLong') throw new AssociationError('BLOCK_ERROR', 'more octets than any attribute has');
  if (step === 'neverSent') throw new AssociationError('BLOCK_ERROR', 'a block is acknowledged that was not sent');
}
