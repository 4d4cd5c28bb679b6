import { AssociationError } from './association-error.ts';
import { acknowledgement, BlockReceiver, BlockSender, isBlock, readBlock, type BlockRules } from './block-stream.ts';
import { WAIT, type Exchange } from './exchange.ts';

/** How often the same block is asked for, or sent, before the other side is given up. */
const MAX_ATTEMPTS = 3;

/** Sends an APDU in blocks, one after the other, and gives back what answers the last. */
export function* sendBlocks(apdu: Uint8Array, rules: BlockRules): Exchange<{ answer: Uint8Array; sent: number }> {
  const sender = new BlockSender(apdu, rules);
  let acknowledged = 0;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const [block] = sender.after(acknowledged, 1, 0);
    if (block === undefined) break;
    const answer = yield block;
    // Nothing came in time: the same once more.
    if (answer.length === 0) continue;
    if (!isBlock(answer)) return { answer, sent: sender.count };
    const { blockNumberAck, data } = readBlock(answer);
    if (acknowledged + 1 === sender.count && (blockNumberAck >= sender.count || data.length > 0)) return { answer, sent: sender.count };
    if (blockNumberAck > acknowledged + 1 || blockNumberAck < acknowledged)
      throw new AssociationError('BLOCK_ERROR', `block ${blockNumberAck} acknowledged after ${acknowledged}`);
    if (blockNumberAck > acknowledged) attempts = -1;
    acknowledged = blockNumberAck;
  }
  throw new AssociationError('BLOCK_ERROR', `block ${acknowledged + 1} is not acknowledged`);
}

/** How blocks travel: as they are, or each protected by itself. */
export interface BlockCarrier {
  seal(block: Uint8Array): Uint8Array;
  open(apdu: Uint8Array): Uint8Array;
}

/** A carrier that changes nothing: what is cut into blocks was protected before. */
export const BARE: BlockCarrier = { seal: (block) => block, open: (apdu) => apdu };

/**
 * Collects the APDU that begins with a block, and asks again for what was lost: after a gap, and when its driver hands
 * in an empty APDU to say that nothing came in time. An APDU that is no block ends the transfer and is given back.
 */
export function* receiveBlocks(
  first: Uint8Array,
  rules: BlockRules,
  ownNumber: number,
  carrier: BlockCarrier = BARE,
): Exchange<Uint8Array> {
  const receiver = new BlockReceiver();
  let number = ownNumber;
  let fruitless = 0;
  let inWindow = 0;
  let apdu = first;
  for (;;) {
    if (apdu.length > 0 && !isBlock(apdu)) return apdu;
    const block = apdu.length === 0 ? undefined : readBlock(apdu);
    const step = block === undefined ? 'silence' : receiver.take(block);
    if (step === 'whole') return receiver.octets;
    if (step === 'tooLong') throw new AssociationError('BLOCK_ERROR', 'more octets than any attribute has');
    if (step === 'taken') fruitless = 0;
    inWindow++;
    let next: Uint8Array = WAIT;
    // More of this window is on its way; what is missing is asked for once it has ended, or has lasted too long.
    if (block?.control.streaming !== true || block.control.lastBlock || inWindow > rules.window) {
      if (fruitless++ > MAX_ATTEMPTS) throw new AssociationError('BLOCK_ERROR', `block ${receiver.received + 1} does not come`);
      inWindow = 0;
      next = carrier.seal(acknowledgement(rules, number++, receiver.received));
    }
    const answer = yield next;
    apdu = answer.length === 0 ? answer : carrier.open(answer);
  }
}
