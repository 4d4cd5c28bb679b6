import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { FrameReport } from '@hes/dlms-node/framing.ts';
import { PushReceiver, type BlockFault } from '@hes/dlms/association/block-push.ts';
import { readBlock } from '@hes/dlms/association/block-stream.ts';
import type { GeneralBlockTransfer } from '@hes/dlms/xdlms/general-block-transfer.ts';
import { stampsFrom } from '#platform/clock.ts';
import type { KeptFrame } from '#storage/frames.ts';
import { forGateway, type UnsolicitedMessage } from './channel.ts';
import { decodedBy } from './decoded.ts';

const MIB = 1024 * 1024;
/** A block over PLC takes seconds, and some meters pause between two blocks. */
const BLOCK_TIMEOUT_MS = 20_000;
/** Consecutive timeouts before a push is dropped; after each earlier one a sender that accepts acknowledgements gets one. */
const MAX_TIMEOUTS = 3;
/** Window size: blocks that a meter may send before it must wait for an acknowledgement. */
const OWN_WINDOW = 16;
/** Memory per push and per block in addition to their octets. */
const PUSH_COST = 1024;
const BLOCK_COST = 256;

/** Limits of octets buffered for incomplete pushes: per push, per session and in total. */
export interface BlockLimits {
  push: number;
  session: number;
  total: number;
}
const DEFAULT_LIMITS: BlockLimits = { push: MIB, session: 4 * MIB, total: 64 * MIB };

/** Reason for dropping a push in blocks. */
export type LostBlocks =
  | BlockFault
  | 'BLOCK_BROKEN'
  /** The sender began another push before this one was whole. */
  | 'BLOCKS_ABANDONED'
  /** No further block arrived, or the connection ended. */
  | 'BLOCKS_UNFINISHED'
  | 'BLOCKS_NO_ROOM';

/** Frames of one push, copied from the buffer of the socket. The receiver calls `release` once. */
export interface ReceivedFrames {
  /** Address of the meter at the gateway; undefined: the DCU itself. */
  address: Uint8Array | undefined;
  /** Frames of both directions in their order. */
  frames: KeptFrame[];
  /** Releases the buffered octets, which count against the limits until then. */
  release(): void;
}
/** A complete push. */
export interface PushMessage extends ReceivedFrames {
  apdu: Uint8Array;
  /** Wraps a confirmation as the sender expects it: in a block or plain. */
  wrapAnswer(apdu: Uint8Array): Uint8Array;
}

/** One push of one sender, from its first block until the end of its retransmissions. */
interface Transfer extends Omit<ReceivedFrames, 'release'> {
  state: 'open' | 'whole' | 'dropped';
  /** Returns rising timestamps for its frames. */
  stamp(): number;
  receiver: PushReceiver;
  route: Pick<UnsolicitedMessage, 'address' | 'source' | 'destination'>;
  /** Octets that count against the limits. */
  buffered: number;
  timeouts: number;
  timer: NodeJS.Timeout;
}

interface Sender {
  transfers: Map<string, Transfer>;
  buffered: number;
}

const keyOf = (address: Uint8Array | undefined): string => (address === undefined ? '' : Buffer.from(address).toString('latin1'));

/**
 * Reassembles pushes in blocks (general block transfer), one at a time per session and address, within limits of buffered octets. A push
 * that cannot be reassembled is reported once with its frames; its remaining blocks are ignored.
 */
export class PushedBlocks<S extends { connection: Pick<DlmsConnection, 'reply'> }> {
  readonly #now: () => number;
  readonly #onLost: (session: S, lost: ReceivedFrames, why: LostBlocks) => void;
  readonly #limits: BlockLimits;
  readonly #senders = new Map<S, Sender>();
  #buffered = 0;

  constructor(options: { now(): number; onLost(session: S, lost: ReceivedFrames, why: LostBlocks): void; limits?: BlockLimits }) {
    this.#now = options.now;
    this.#onLost = options.onLost;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
  }

  /** Octets buffered for all sessions. */
  get bufferedOctets(): number {
    return this.#buffered;
  }

  /** Processes a block; returns the push that it completes, if any. */
  receive(session: S, message: UnsolicitedMessage): PushMessage | undefined {
    const read = decodedBy(() => readBlock(message.apdu));
    // Undefined: malformed.
    const block = read.ok ? read.value : undefined;
    const known = this.#senders.get(session)?.transfers.get(keyOf(message.address));
    // A block without data acknowledges a block of the head-end.
    if (block?.data.length === 0 && !(known?.state === 'open' && known.receiver.expects(block))) return undefined;
    if (known === undefined) return this.#continue(session, this.#begin(session, message), message, block);
    if (block === undefined || !beginsAnother(known, block)) return this.#continue(session, known, message, block);
    if (known.state === 'open') this.#drop(session, known, 'BLOCKS_ABANDONED');
    this.#forget(session, known);
    return this.#continue(session, this.#begin(session, message), message, block);
  }

  #continue(session: S, transfer: Transfer, message: UnsolicitedMessage, block: GeneralBlockTransfer | undefined): PushMessage | undefined {
    if (transfer.state !== 'open') return this.#handleRetransmission(session, transfer, block);
    transfer.frames.push({ at: transfer.stamp(), direction: 'up', octets: message.octets.slice(), plain: undefined });
    if (!this.#reserve(session, transfer, message.octets.length + (block?.data.length ?? 0) + BLOCK_COST))
      return this.#refuse(session, transfer);
    if (block === undefined) return this.#drop(session, transfer, 'BLOCK_BROKEN');
    transfer.timeouts = 0;
    transfer.timer.refresh();
    const step = transfer.receiver.take(block);
    if (step.kind === 'dropped') return this.#drop(session, transfer, step.why);
    this.#reply(session, transfer, step.reply);
    if (step.kind === 'more') return undefined;
    const { receiver } = transfer;
    return { ...this.#end(session, transfer, 'whole'), apdu: step.apdu, wrapAnswer: (apdu) => receiver.answer(apdu) };
  }

  /** Repeats the acknowledgement of a complete push, because the first one got lost. Blocks of a dropped push are ignored. */
  #handleRetransmission(session: S, transfer: Transfer, block: GeneralBlockTransfer | undefined): undefined {
    if (transfer.state === 'dropped') return void transfer.timer.refresh();
    const step = block && transfer.receiver.take(block);
    if (step?.kind === 'more') this.#reply(session, transfer, step.reply);
  }

  #begin(session: S, { address, source, destination }: UnsolicitedMessage): Transfer {
    const own = address?.slice();
    const transfer: Transfer = {
      address: own,
      frames: [],
      stamp: stampsFrom(this.#now()),
      state: 'open',
      receiver: new PushReceiver({ maxOctets: this.#limits.push, window: OWN_WINDOW }),
      route: { address: own, source, destination },
      buffered: 0,
      timeouts: 0,
      timer: setTimeout(() => this.#handleTimeout(session, transfer), BLOCK_TIMEOUT_MS),
    };
    const sender = this.#senders.get(session) ?? { transfers: new Map<string, Transfer>(), buffered: 0 };
    this.#senders.set(session, sender);
    sender.transfers.set(keyOf(own), transfer);
    this.#setBuffered(session, transfer, PUSH_COST);
    return transfer;
  }

  #reserve(session: S, transfer: Transfer, octets: number): boolean {
    this.#setBuffered(session, transfer, transfer.buffered + octets);
    return this.#buffered <= this.#limits.total && (this.#senders.get(session)?.buffered ?? 0) <= this.#limits.session;
  }

  #setBuffered(session: S, transfer: Transfer, octets: number): void {
    const more = octets - transfer.buffered;
    const sender = this.#senders.get(session);
    if (sender !== undefined) sender.buffered += more;
    this.#buffered += more;
    transfer.buffered = octets;
  }

  #handleTimeout(session: S, transfer: Transfer): void {
    if (transfer.state !== 'open') return this.#forget(session, transfer);
    transfer.timer.refresh();
    if (++transfer.timeouts >= MAX_TIMEOUTS) this.#drop(session, transfer, 'BLOCKS_UNFINISHED');
    else this.#reply(session, transfer, transfer.receiver.acknowledge());
  }

  #reply(session: S, { route, frames, stamp }: Transfer, apdu: Uint8Array | undefined): void {
    if (apdu === undefined) return;
    const { address, source, destination } = route;
    const report: FrameReport = (octets) => void frames.push({ at: stamp(), direction: 'down', octets, plain: undefined });
    session.connection.reply({ source: destination, destination: source }, forGateway(address, apdu, 'response'), report);
  }

  /** Forgets a push that exceeds the limits with its first block, so that invented addresses occupy no memory. */
  #refuse(session: S, transfer: Transfer): undefined {
    const hasBegun = transfer.frames.length > 1;
    this.#drop(session, transfer, 'BLOCKS_NO_ROOM');
    if (!hasBegun) this.#forget(session, transfer);
  }

  #drop(session: S, transfer: Transfer, why: LostBlocks): undefined {
    this.#onLost(session, this.#end(session, transfer, 'dropped'), why);
  }

  /** Hands the frames over to the receiver; they count against the limits until it releases them. */
  #end(session: S, transfer: Transfer, state: 'whole' | 'dropped'): ReceivedFrames {
    const { address, frames, buffered } = transfer;
    transfer.state = state;
    transfer.frames = [];
    if (state === 'dropped') transfer.receiver = new PushReceiver({ maxOctets: 0, window: OWN_WINDOW });
    this.#setBuffered(session, transfer, PUSH_COST + transfer.receiver.keptOctets);
    transfer.timer.refresh();
    const sender = this.#senders.get(session);
    const count = (octets: number): void => {
      if (sender !== undefined) sender.buffered += octets;
      this.#buffered += octets;
    };
    count(buffered);
    return { address, frames, release: () => count(-buffered) };
  }

  #forget(session: S, transfer: Transfer): void {
    clearTimeout(transfer.timer);
    this.#setBuffered(session, transfer, 0);
    const sender = this.#senders.get(session);
    sender?.transfers.delete(keyOf(transfer.address));
    if (sender?.transfers.size === 0) this.#senders.delete(session);
  }

  /** Drops the incomplete pushes of a session whose connection has ended. */
  removeSession(session: S): void {
    for (const transfer of this.#senders.get(session)?.transfers.values() ?? []) {
      if (transfer.state === 'open') this.#drop(session, transfer, 'BLOCKS_UNFINISHED');
      this.#forget(session, transfer);
    }
  }
}

/**
 * Whether a block begins another push. A sender with acknowledgements retransmits a push until it is acknowledged; from any other sender
 * each first block begins a new push.
 */
function beginsAnother({ state, receiver }: Transfer, block: GeneralBlockTransfer): boolean {
  if (block.blockNumber !== 1) return false;
  if (state === 'dropped' || (state === 'whole' && !receiver.isHeard)) return true;
  return receiver.isAnother(block);
}
