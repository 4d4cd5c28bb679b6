import { PushReceiver, type BlockFault } from '@hes/dlms/association/block-push.ts';
import { readBlock } from '@hes/dlms/association/block-stream.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { GeneralBlockTransfer } from '@hes/dlms/xdlms/general-block-transfer.ts';
import { stampsFrom } from '#platform/clock.ts';
import type { KeptFrame } from '#storage/frames.ts';
import { Channel, type FrameCarrier, type Notice } from './channel.ts';

const MIB = 1024 * 1024;
/** A block over PLC takes seconds, and some meters rest for some between two. */
const SILENCE_MS = 20_000;
/** So often a sender that hears us is told how far it has come; one that does not is waited for as long. */
const SILENCES = 3;
/** Blocks a meter may send us before it asks how far they have come. */
const OWN_WINDOW = 16;
/** What is kept of a push and of a block beside their octets. */
const PUSH_COST = 1024;
const BLOCK_COST = 256;

/** Octets that may be kept of pushes that are not whole yet. */
export interface BlockRoom {
  push: number;
  session: number;
  everybody: number;
}
const USUAL_ROOM: BlockRoom = { push: MIB, session: 4 * MIB, everybody: 64 * MIB };

/** Why what came in blocks was dropped. */
export type LostBlocks =
  | BlockFault
  | 'BLOCK_BROKEN'
  /** The sender began another push before this one was whole. */
  | 'BLOCKS_ABANDONED'
  /** Nothing more came, or the connection ended. */
  | 'BLOCKS_UNFINISHED'
  | 'BLOCKS_NO_ROOM';

/** What was told unasked, in as many frames as it took. Its octets are its own. */
export interface Arrival {
  /** Of the meter at the gateway; undefined: the DCU itself. */
  address: Uint8Array | undefined;
  /** Both ways, as they went over the wire. */
  frames: KeptFrame[];
  /** Gives its room back: nobody holds it any more. */
  release(): void;
}
export interface WholeArrival extends Arrival {
  apdu: Uint8Array;
  /** A short answer as its sender takes it. */
  answer(apdu: Uint8Array): Uint8Array;
}

/** One push of one sender, from its first block until nothing of it is to be expected any more. */
interface Transfer extends Omit<Arrival, 'release'> {
  state: 'open' | 'whole' | 'dropped';
  /** Stamps of its frames. */
  stamp(): number;
  receiver: PushReceiver;
  route: Pick<Notice, 'address' | 'source' | 'destination'>;
  /** Of the room, in octets. */
  kept: number;
  silences: number;
  timer: NodeJS.Timeout;
}

interface Sender {
  transfers: Map<string, Transfer>;
  kept: number;
}

const keyOf = (address: Uint8Array | undefined): string => (address === undefined ? '' : Buffer.from(address).toString('latin1'));

/**
 * Puts together what devices tell unasked in blocks (general block transfer): of each session and address one push at a time, all of them
 * within a room, which what is handed on keeps until it is released. What cannot be put together is handed on once, with all that came of
 * it; the rest of its blocks is passed over.
 */
export class PushedBlocks<S extends { connection: FrameCarrier }> {
  readonly #now: () => number;
  readonly #onLost: (session: S, lost: Arrival, why: LostBlocks) => void;
  readonly #room: BlockRoom;
  readonly #senders = new Map<S, Sender>();
  #kept = 0;

  constructor(options: { now(): number; onLost(session: S, lost: Arrival, why: LostBlocks): void; room?: BlockRoom }) {
    this.#now = options.now;
    this.#onLost = options.onLost;
    this.#room = options.room ?? USUAL_ROOM;
  }

  /** Octets of the room that are taken. */
  get kept(): number {
    return this.#kept;
  }

  /** What the block makes whole, if it does. */
  take(session: S, notice: Notice): WholeArrival | undefined {
    const block = blockIn(notice.apdu);
    const known = this.#senders.get(session)?.transfers.get(keyOf(notice.address));
    // It acknowledges what we answered.
    if (block?.data.length === 0 && !(known?.state === 'open' && known.receiver.expects(block))) return undefined;
    if (known === undefined) return this.#goOn(session, this.#begin(session, notice), notice, block);
    if (block === undefined || !beginsAnother(known, block)) return this.#goOn(session, known, notice, block);
    if (known.state === 'open') this.#drop(session, known, 'BLOCKS_ABANDONED');
    this.#forget(session, known);
    return this.#goOn(session, this.#begin(session, notice), notice, block);
  }

  #goOn(session: S, transfer: Transfer, notice: Notice, block: GeneralBlockTransfer | undefined): WholeArrival | undefined {
    if (transfer.state !== 'open') return this.#hearAgain(session, transfer, block);
    transfer.frames.push({ at: transfer.stamp(), direction: 'up', octets: notice.octets.slice(), plain: undefined });
    if (!this.#hasRoomFor(session, transfer, notice.octets.length + (block?.data.length ?? 0) + BLOCK_COST))
      return this.#refuse(session, transfer);
    if (block === undefined) return this.#drop(session, transfer, 'BLOCK_BROKEN');
    transfer.silences = 0;
    transfer.timer.refresh();
    const step = transfer.receiver.take(block);
    if (step.kind === 'dropped') return this.#drop(session, transfer, step.why);
    this.#reply(session, transfer, step.reply);
    if (step.kind === 'more') return undefined;
    const { receiver } = transfer;
    return { ...this.#end(session, transfer, 'whole'), apdu: step.apdu, answer: (apdu) => receiver.answer(apdu) };
  }

  /** The end once more: what we said to it got lost. Of what was dropped nothing is heard any more. */
  #hearAgain(session: S, transfer: Transfer, block: GeneralBlockTransfer | undefined): undefined {
    if (transfer.state === 'dropped') return void transfer.timer.refresh();
    const step = block && transfer.receiver.take(block);
    if (step?.kind === 'more') this.#reply(session, transfer, step.reply);
  }

  #begin(session: S, { address, source, destination }: Notice): Transfer {
    const own = address?.slice();
    const transfer: Transfer = {
      address: own,
      frames: [],
      stamp: stampsFrom(this.#now()),
      state: 'open',
      receiver: new PushReceiver({ maxOctets: this.#room.push, window: OWN_WINDOW }),
      route: { address: own, source, destination },
      kept: 0,
      silences: 0,
      timer: setTimeout(() => this.#silence(session, transfer), SILENCE_MS),
    };
    const sender = this.#senders.get(session) ?? { transfers: new Map<string, Transfer>(), kept: 0 };
    this.#senders.set(session, sender);
    sender.transfers.set(keyOf(own), transfer);
    this.#keep(session, transfer, PUSH_COST);
    return transfer;
  }

  #hasRoomFor(session: S, transfer: Transfer, octets: number): boolean {
    this.#keep(session, transfer, transfer.kept + octets);
    return this.#kept <= this.#room.everybody && (this.#senders.get(session)?.kept ?? 0) <= this.#room.session;
  }

  #keep(session: S, transfer: Transfer, octets: number): void {
    const more = octets - transfer.kept;
    const sender = this.#senders.get(session);
    if (sender !== undefined) sender.kept += more;
    this.#kept += more;
    transfer.kept = octets;
  }

  #silence(session: S, transfer: Transfer): void {
    if (transfer.state !== 'open') return this.#forget(session, transfer);
    transfer.timer.refresh();
    if (++transfer.silences >= SILENCES) this.#drop(session, transfer, 'BLOCKS_UNFINISHED');
    else this.#reply(session, transfer, transfer.receiver.acknowledge());
  }

  #reply(session: S, { route, frames, stamp }: Transfer, apdu: Uint8Array | undefined): void {
    if (apdu === undefined) return;
    const { address, source, destination } = route;
    const octets = Channel.frameOf({ clientSap: destination, serverSap: source, address }, apdu, 'response');
    session.connection.sendFrame(octets);
    frames.push({ at: stamp(), direction: 'down', octets, plain: undefined });
  }

  /** What has only begun is not even remembered: whoever invents addresses must not fill the room with them. */
  #refuse(session: S, transfer: Transfer): undefined {
    const hasBegun = transfer.frames.length > 1;
    this.#drop(session, transfer, 'BLOCKS_NO_ROOM');
    if (!hasBegun) this.#forget(session, transfer);
  }

  #drop(session: S, transfer: Transfer, why: LostBlocks): undefined {
    this.#onLost(session, this.#end(session, transfer, 'dropped'), why);
  }

  /** Its frames are somebody else's from now on, and keep their room until he has done with them. */
  #end(session: S, transfer: Transfer, state: 'whole' | 'dropped'): Arrival {
    const { address, frames, kept } = transfer;
    transfer.state = state;
    transfer.frames = [];
    if (state === 'dropped') transfer.receiver = new PushReceiver({ maxOctets: 0, window: OWN_WINDOW });
    this.#keep(session, transfer, PUSH_COST + transfer.receiver.keptOctets);
    transfer.timer.refresh();
    const sender = this.#senders.get(session);
    const hold = (octets: number): void => {
      if (sender !== undefined) sender.kept += octets;
      this.#kept += octets;
    };
    hold(kept);
    return { address, frames, release: () => hold(-kept) };
  }

  #forget(session: S, transfer: Transfer): void {
    clearTimeout(transfer.timer);
    this.#keep(session, transfer, 0);
    const sender = this.#senders.get(session);
    sender?.transfers.delete(keyOf(transfer.address));
    if (sender?.transfers.size === 0) this.#senders.delete(session);
  }

  /** The connection ended. */
  leave(session: S): void {
    for (const transfer of this.#senders.get(session)?.transfers.values() ?? []) {
      if (transfer.state === 'open') this.#drop(session, transfer, 'BLOCKS_UNFINISHED');
      this.#forget(session, transfer);
    }
  }
}

/** Undefined: it is broken. */
function blockIn(apdu: Uint8Array): GeneralBlockTransfer | undefined {
  try {
    return readBlock(apdu);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** A sender that hears us repeats a push until it knows that it arrived; any other sends it once, so a first block is a new one. */
function beginsAnother({ state, receiver }: Transfer, block: GeneralBlockTransfer): boolean {
  if (block.blockNumber !== 1) return false;
  if (state === 'dropped' || (state === 'whole' && !receiver.isHeard)) return true;
  return receiver.isAnother(block);
}
