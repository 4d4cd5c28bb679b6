import type { HdlcAddress } from './address.ts';
import type { HdlcFrame } from './frame.ts';
import { DEFAULT_PARAMETERS, type HdlcParameters } from './parameters.ts';

export type LinkPhase = 'disconnected' | 'connecting' | 'connected' | 'disconnecting';
export type LinkRole = 'client' | 'server';

export interface LinkSettings {
  role: LinkRole;
  own: HdlcAddress;
  peer: HdlcAddress;
  /** Parameters this side proposes. */
  parameters: HdlcParameters;
  /** Retransmissions before the client ends the link. */
  retries: number;
  /** Maximum octets of a reassembled message, LLC header included. */
  maxMessageSize: number;
}

/** Why a link ended. */
export type LinkEnd = 'CLOSED' | 'PEER_LEFT' | 'REFUSED' | 'REJECTED' | 'NO_ANSWER' | 'INACTIVE' | 'MESSAGE_TOO_LONG' | 'BAD_PARAMETERS';

/** A segment of a message, in the size the peer accepts. */
export interface Segment {
  information: Uint8Array;
  /** More segments of the same message follow. */
  more: boolean;
}

/** Received segments as a linked list, which makes appending O(1). */
export interface ReceivedSegment {
  readonly information: Uint8Array;
  readonly before: ReceivedSegment | undefined;
  /** Total octets of this segment and those before it. */
  readonly size: number;
}

/** Immutable state of a link. */
export interface LinkState {
  readonly phase: LinkPhase;
  readonly settings: LinkSettings;
  /** The negotiated parameters. */
  readonly limits: HdlcParameters;
  /** V(R): the next I frame number expected. */
  readonly expected: number;
  /** Sequence number of the first unacknowledged segment, modulo 8. */
  readonly acknowledged: number;
  readonly outgoing: readonly Segment[];
  /** Acknowledged segments at the start of `outgoing`. */
  readonly arrived: number;
  /** Segments in flight, after the acknowledged ones. */
  readonly sent: number;
  /** The message being received, as its last segment. */
  readonly incoming: ReceivedSegment | undefined;
  /** Half duplex: only the side with the turn may send. */
  readonly hasTurn: boolean;
  readonly isPeerBusy: boolean;
  readonly retriesLeft: number;
  /** Reason of a pending disconnect. */
  readonly closing: LinkEnd | undefined;
}

/** An event of a link. The owner of the timer reports a response timeout as an event. */
export type LinkEvent =
  | { type: 'connect' }
  | { type: 'disconnect' }
  /** A message to send, without LLC header. */
  | { type: 'send'; apdu: Uint8Array }
  /** A message to send once, immediately and unacknowledged (UI frame). */
  | { type: 'announce'; apdu: Uint8Array }
  /** The server has no response to the received message. */
  | { type: 'pass' }
  | { type: 'timeout' }
  | { type: 'frame'; frame: HdlcFrame };

/** Result of an event. */
export interface LinkStep {
  state: LinkState;
  /** Frames to send, in order. */
  send: Uint8Array[];
  /** Complete messages without LLC header, each delivered once. */
  received: Uint8Array[];
  /** Messages received unacknowledged (UI frames). */
  announced: Uint8Array[];
  /** Messages without the LLC header of their direction: not COSEM. */
  refused: Uint8Array[];
  /** Set by the step that ends the link. */
  ended?: LinkEnd;
}

/** The owner raised an event that is invalid in this phase, such as sending on a disconnected link. */
export class LinkError extends Error {
  readonly code = 'UNEXPECTED_EVENT';
  readonly phase: LinkPhase;
  readonly event: string;

  constructor(phase: LinkPhase, event: string) {
    super(`UNEXPECTED_EVENT ${event} on a link that is ${phase}`);
    this.name = 'LinkError';
    this.phase = phase;
    this.event = event;
  }
}

const DEFAULT_RETRIES = 3;
const DEFAULT_MESSAGE_SIZE = 0xffff + 3;

/** Creates a disconnected link. */
export function createLink(
  settings: Pick<LinkSettings, 'role' | 'own' | 'peer'> & Partial<Omit<LinkSettings, 'role' | 'own' | 'peer'>>,
): LinkState {
  return freshLink('disconnected', {
    parameters: DEFAULT_PARAMETERS,
    retries: DEFAULT_RETRIES,
    maxMessageSize: DEFAULT_MESSAGE_SIZE,
    ...settings,
  });
}

/** A link with empty queues. */
export const freshLink = (phase: LinkPhase, settings: LinkSettings, limits = DEFAULT_PARAMETERS): LinkState => ({
  phase,
  settings,
  limits,
  expected: 0,
  acknowledged: 0,
  outgoing: [],
  arrived: 0,
  sent: 0,
  incoming: undefined,
  hasTurn: settings.role === 'client',
  isPeerBusy: false,
  retriesLeft: settings.retries,
  closing: undefined,
});
