import type { HdlcControl } from './control.ts';
import { encodeHdlcFrame, MAX_INFORMATION_SIZE, type HdlcFrame } from './frame.ts';
import type { LinkState, LinkStep, ReceivedSegment, Segment } from './link-state.ts';
import { addLlc, hasLlc, LLC_SIZE, type LlcDirection } from './llc.ts';

const MODULO = 8;
const NOTHING = new Uint8Array(0);

/** A step without output. */
export const stepWithoutOutput = (state: LinkState): LinkStep => ({ state, send: [], received: [], announced: [], refused: [] });

/** Encodes a frame of this link. */
export const frameOf = ({ settings }: LinkState, control: HdlcControl, information: Uint8Array = NOTHING, segmented = false): Uint8Array =>
  encodeHdlcFrame({ destination: settings.peer, source: settings.own, control, segmented, information });

const directionOf = ({ settings }: LinkState, way: 'out' | 'in'): LlcDirection =>
  (settings.role === 'client') === (way === 'out') ? 'command' : 'response';

/** Queues a message, split into segments that the peer accepts. */
export function enqueueMessage(state: LinkState, apdu: Uint8Array): LinkState {
  const message = addLlc(directionOf(state, 'out'), apdu);
  const size = Math.min(state.limits.maxInformationTransmit, MAX_INFORMATION_SIZE);
  const segments: Segment[] = [];
  for (let at = 0; at < message.length; at += size)
    segments.push({ information: message.subarray(at, at + size), more: at + size < message.length });
  return { ...state, outgoing: [...state.outgoing.slice(state.arrived), ...segments], arrived: 0 };
}

/** Encodes a UI frame with a message. Throws `RangeError` when it does not fit one frame. */
export const encodeAnnouncement = (state: LinkState, apdu: Uint8Array): Uint8Array =>
  frameOf(state, { kind: 'ui', pollFinal: false }, addLlc(directionOf(state, 'out'), apdu));

/** Sends queued segments if this side has the turn, as many as the window allows; the last frame passes the turn. */
export function sendQueued(state: LinkState): { state: LinkState; send: Uint8Array[] } {
  const next = state.outgoing.slice(state.arrived + state.sent, state.arrived + state.limits.windowTransmit);
  if (!state.hasTurn || state.isPeerBusy || next.length === 0) return { state, send: [] };
  const send = next.map(({ information, more }, i) => {
    const sendSequence = (state.acknowledged + state.sent + i) % MODULO;
    const control = { kind: 'i', sendSequence, receiveSequence: state.expected, pollFinal: i === next.length - 1 } as const;
    return frameOf(state, control, information, more);
  });
  return { state: { ...state, sent: state.sent + next.length, hasTurn: false }, send };
}

/** Acknowledges the received frames (RR) and passes the turn. */
export const acknowledge = (state: LinkState): { state: LinkState; send: Uint8Array[] } => ({
  state: { ...state, hasTurn: false },
  send: [frameOf(state, { kind: 'rr', receiveSequence: state.expected, pollFinal: true })],
});

/** Number of in-flight frames that N(R) acknowledges; `undefined` when it acknowledges frames that were never sent. */
export function arrivedCount(state: LinkState, receiveSequence: number): number | undefined {
  const count = (receiveSequence - state.acknowledged + MODULO) % MODULO;
  return count <= state.sent ? count : undefined;
}

/** Records acknowledged frames. Once the peer has passed the turn, the unacknowledged ones are lost and are retransmitted. */
export function withArrived(state: LinkState, count: number, isTurnOver: boolean): LinkState {
  return {
    ...state,
    acknowledged: (state.acknowledged + count) % MODULO,
    arrived: state.arrived + count,
    sent: isTurnOver ? 0 : state.sent - count,
    retriesLeft: count > 0 ? state.settings.retries : state.retriesLeft,
  };
}

/** Message size with this segment appended. Empty segments count as one octet, which bounds the message. */
export const sizeWith = ({ incoming }: LinkState, information: Uint8Array): number =>
  (incoming?.size ?? 0) + Math.max(information.length, 1);

/** Takes the information field of the expected frame. Any other frame is a repetition, or follows a lost one, and is dropped. */
export function withInformation(state: LinkState, frame: HdlcFrame): Pick<LinkStep, 'state' | 'received' | 'refused'> {
  if (frame.control.kind !== 'i' || frame.control.sendSequence !== state.expected) return { state, received: [], refused: [] };
  const incoming = { information: frame.information, before: state.incoming, size: sizeWith(state, frame.information) };
  const taken = { ...state, expected: (state.expected + 1) % MODULO, retriesLeft: state.settings.retries };
  if (frame.segmented) return { state: { ...taken, incoming }, received: [], refused: [] };
  return { state: { ...taken, incoming: undefined }, ...removeHeader(directionOf(state, 'in'), joinSegments(incoming)) };
}

/** Takes a UI frame; meters use either LLC header. */
export function withAnnouncement(state: LinkState, frame: HdlcFrame): LinkStep {
  const direction = frame.information[1] === 0xe6 ? 'command' : 'response';
  const { received, refused } = removeHeader(direction, frame.information);
  return { ...stepWithoutOutput(state), announced: received, refused };
}

/** Returns a fault instead of throwing, because errors are expensive and the peer controls the input. */
const removeHeader = (direction: LlcDirection, message: Uint8Array): Pick<LinkStep, 'received' | 'refused'> =>
  hasLlc(direction, message) ? { received: [message.subarray(LLC_SIZE)], refused: [] } : { received: [], refused: [message] };

function joinSegments(last: ReceivedSegment): Uint8Array {
  if (last.before === undefined) return last.information;
  const message = new Uint8Array(last.size);
  // Copies from the last segment to the first; empty segments leave unused octets at the start.
  let at = message.length;
  for (let segment: ReceivedSegment | undefined = last; segment !== undefined; segment = segment.before) {
    at -= segment.information.length;
    message.set(segment.information, at);
  }
  return message.subarray(at);
}
