import type { HdlcAddress } from './address.ts';
import type { HdlcFrame } from './frame.ts';
import { DEFAULT_PARAMETERS, type HdlcParameters } from './parameters.ts';

export type LinkPhase = 'disconnected' | 'connecting' | 'connected' | 'disconnecting';
export type LinkRole = 'client' | 'server';

export interface LinkSettings {
  role: LinkRole;
  own: HdlcAddress;
  peer: HdlcAddress;
  /** What this side can take and wants to send. */
  parameters: HdlcParameters;
  /** How often the client says the same again before it gives up. */
  retries: number;
  /** Octets of the longest message that is put together, LLC header included. */
  maxMessageSize: number;
}

/** Why a link ended. */
export type LinkEnd = 'CLOSED' | 'PEER_LEFT' | 'REFUSED' | 'REJECTED' | 'NO_ANSWER' | 'INACTIVE' | 'MESSAGE_TOO_LONG' | 'BAD_PARAMETERS';

/** A piece of a message, of the size that the peer takes. */
export interface Segment {
  information: Uint8Array;
  /** More of the same message follows. */
  more: boolean;
}

/** Segments as a chain, so that another one costs the same however many there are. */
export interface ReceivedSegment {
  readonly information: Uint8Array;
  readonly before: ReceivedSegment | undefined;
  /** Octets of this one and those before. */
  readonly size: number;
}

/** All a link knows. It is replaced, never changed. */
export interface LinkState {
  readonly phase: LinkPhase;
  readonly settings: LinkSettings;
  /** What was agreed on. */
  readonly limits: HdlcParameters;
  /** V(R): the number that the next information frame must have. */
  readonly expected: number;
  /** Number of the first of `outgoing` that has not arrived. */
  readonly acknowledged: number;
  readonly outgoing: readonly Segment[];
  /** How many of `outgoing`, from the first on, have arrived. */
  readonly arrived: number;
  /** How many of `outgoing` behind those are under way. */
  readonly sent: number;
  /** The message that is being received: its last segment first. */
  readonly incoming: ReceivedSegment | undefined;
  /** Only one side speaks at a time. */
  readonly hasTurn: boolean;
  readonly isPeerBusy: boolean;
  readonly retriesLeft: number;
  /** Why it is being closed. */
  readonly closing: LinkEnd | undefined;
}

/** What happens to a link. Time is one of these: whoever owns the timer says when an answer has been awaited for too long. */
export type LinkEvent =
  | { type: 'connect' }
  | { type: 'disconnect' }
  /** A message for the peer, without LLC header. */
  | { type: 'send'; apdu: Uint8Array }
  /** A message that is sent at once, and once, without acknowledgement. */
  | { type: 'announce'; apdu: Uint8Array }
  /** A server has nothing to say to the message it got. */
  | { type: 'pass' }
  | { type: 'timeout' }
  | { type: 'frame'; frame: HdlcFrame };

/** What follows from an event. */
export interface LinkStep {
  state: LinkState;
  /** Frames to send, in this order. */
  send: Uint8Array[];
  /** Whole messages, without LLC header, each given once. */
  received: Uint8Array[];
  /** Messages that came without acknowledgement. */
  announced: Uint8Array[];
  /** Messages without the LLC header of their direction: not for COSEM. */
  refused: Uint8Array[];
  /** Set by the step that ends the link. */
  ended?: LinkEnd;
}

/** An event that the link's owner must not bring about in this phase, such as sending on a link that is not connected. */
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

/** A link before its first frame. */
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

/** A link with nothing sent and nothing received. */
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
