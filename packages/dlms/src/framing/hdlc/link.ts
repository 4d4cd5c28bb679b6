import { isSameAddress } from './address.ts';
import { isForAllStations } from './broadcast.ts';
import type { HdlcFrame } from './frame.ts';
import {
  accept,
  accepted,
  announce,
  ask,
  connect,
  connectAgain,
  end,
  heard,
  ignore,
  leave,
  leaveAgain,
  left,
  notConnected,
  pass,
  refuse,
  reject,
  send,
  transfer,
  type Action,
} from './link-actions.ts';
import { parametersOf } from './parameters.ts';
import { LinkError, type LinkEvent, type LinkPhase, type LinkRole, type LinkState, type LinkStep } from './link-state.ts';
import { arrivedCount, stepWithoutOutput, sizeWith } from './link-transfer.ts';

/** Event names in the tables: events of the owner, frames by kind, and conditions derived from the state. */
export type LinkEventName =
  | Exclude<LinkEvent['type'], 'frame'>
  | HdlcFrame['control']['kind']
  /** A timeout, or a response without progress, with no retries left. */
  | 'exhausted'
  /** A segment that would exceed the maximum message size. */
  | 'overflow'
  /** SNRM or UA with invalid parameters. */
  | 'unacceptable';

export interface Transition {
  next: LinkPhase;
  act: Action;
}
export type LinkTable = Partial<Record<LinkPhase, Partial<Record<LinkEventName, Transition>>>>;

const to = (next: LinkPhase, act: Action): Transition => ({ next, act });

const CLIENT: LinkTable = {
  disconnected: {
    connect: to('connecting', connect),
    ui: to('disconnected', heard),
    ...stay('disconnected', ['snrm', 'disc', 'ua', 'dm', 'frmr', 'i', 'rr', 'rnr', 'overflow', 'unacceptable']),
  },
  connecting: {
    ua: to('connected', accepted),
    unacceptable: to('disconnected', end('BAD_PARAMETERS')),
    dm: to('disconnected', end('REFUSED')),
    frmr: to('disconnected', end('REJECTED')),
    timeout: to('connecting', connectAgain),
    exhausted: to('disconnected', end('NO_ANSWER')),
    disconnect: to('disconnecting', leave('CLOSED')),
    ui: to('connecting', heard),
    ...stay('connecting', ['snrm', 'disc', 'i', 'rr', 'rnr', 'overflow']),
  },
  connected: {
    connect: to('connecting', connect),
    send: to('connected', send),
    announce: to('connected', announce),
    i: to('connected', transfer),
    rr: to('connected', transfer),
    rnr: to('connected', transfer),
    ui: to('connected', heard),
    timeout: to('connected', ask),
    exhausted: to('disconnected', end('NO_ANSWER')),
    overflow: to('disconnecting', leave('MESSAGE_TOO_LONG')),
    disconnect: to('disconnecting', leave('CLOSED')),
    disc: to('disconnected', end('PEER_LEFT')),
    dm: to('disconnected', end('PEER_LEFT')),
    frmr: to('disconnected', end('REJECTED')),
    ...stay('connected', ['snrm', 'ua', 'unacceptable']),
  },
  disconnecting: {
    ua: to('disconnected', end('CLOSED')),
    dm: to('disconnected', end('CLOSED')),
    frmr: to('disconnected', end('CLOSED')),
    disc: to('disconnected', end('CLOSED')),
    unacceptable: to('disconnected', end('CLOSED')),
    timeout: to('disconnecting', leaveAgain),
    exhausted: to('disconnected', end('NO_ANSWER')),
    ui: to('disconnecting', heard),
    ...stay('disconnecting', ['snrm', 'i', 'rr', 'rnr', 'overflow', 'disconnect']),
  },
};

const SERVER: LinkTable = {
  disconnected: {
    snrm: to('connected', accept),
    unacceptable: to('disconnected', refuse),
    disc: to('disconnected', notConnected),
    i: to('disconnected', notConnected),
    rr: to('disconnected', notConnected),
    rnr: to('disconnected', notConnected),
    announce: to('disconnected', announce),
    ui: to('disconnected', heard),
    ...stay('disconnected', ['ua', 'dm', 'frmr', 'overflow']),
  },
  connected: {
    send: to('connected', send),
    pass: to('connected', pass),
    announce: to('connected', announce),
    i: to('connected', transfer),
    rr: to('connected', transfer),
    rnr: to('connected', transfer),
    ui: to('connected', heard),
    snrm: to('connected', accept),
    unacceptable: to('disconnected', refuse),
    overflow: to('disconnected', reject),
    disc: to('disconnected', left),
    frmr: to('disconnected', end('REJECTED')),
    timeout: to('disconnected', end('INACTIVE')),
    disconnect: to('disconnected', end('CLOSED')),
    ...stay('connected', ['ua', 'dm']),
  },
};

function stay(phase: LinkPhase, events: LinkEventName[]): Partial<Record<LinkEventName, Transition>> {
  return Object.fromEntries(events.map((event) => [event, to(phase, ignore)]));
}

/** The transition tables of both roles. @spec IEC 62056-46 (procedures) */
export const LINK_TABLES: Readonly<Record<LinkRole, LinkTable>> = { client: CLIENT, server: SERVER };

/**
 * Pure step function: frames arrive as events and leave as octets, time is an event. Frames for other stations are ignored, and a repeated
 * frame counts once. Throws `LinkError` when the owner raises an event that is invalid in this phase; frames of the peer never throw.
 * @spec IEC 62056-46 (procedures)
 */
export function stepLink(state: LinkState, event: LinkEvent): LinkStep {
  if (event.type === 'frame' && !isForUs(state, event.frame)) return stepWithoutOutput(state);
  const name = nameOf(state, event);
  const transition = LINK_TABLES[state.settings.role][state.phase]?.[name];
  if (transition === undefined) throw new LinkError(state.phase, name);
  return transition.act(state, event, transition.next);
}

function isForUs({ settings }: LinkState, { destination, source, control }: HdlcFrame): boolean {
  if (control.kind === 'ui' && isForAllStations(destination)) return true;
  return isSameAddress(destination, settings.own) && isSameAddress(source, settings.peer);
}

function nameOf(state: LinkState, event: LinkEvent): LinkEventName {
  const isExhausted = state.settings.role === 'client' && state.retriesLeft === 0;
  if (event.type !== 'frame') return event.type === 'timeout' && isExhausted ? 'exhausted' : event.type;
  const { control, information } = event.frame;
  if ((control.kind === 'snrm' || control.kind === 'ua') && parametersOf(information) === undefined) return 'unacceptable';
  if (state.phase !== 'connected') return control.kind;
  if (control.kind === 'i' && control.sendSequence === state.expected && tooLong(state, information)) return 'overflow';
  const isNumbered = control.kind === 'i' || control.kind === 'rr' || control.kind === 'rnr';
  const isStuck = isNumbered && control.pollFinal && state.sent > 0 && (arrivedCount(state, control.receiveSequence) ?? 0) === 0;
  return isStuck && isExhausted ? 'exhausted' : control.kind;
}

const tooLong = (state: LinkState, information: Uint8Array): boolean => sizeWith(state, information) > state.settings.maxMessageSize;
