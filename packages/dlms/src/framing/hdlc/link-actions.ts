import type { HdlcFrame } from './frame.ts';
import { freshLink, type LinkEnd, type LinkEvent, type LinkPhase, type LinkState, type LinkStep } from './link-state.ts';
import {
  acknowledge,
  encodeAnnouncement,
  arrivedCount,
  frameOf,
  sendQueued,
  enqueueMessage,
  stepWithoutOutput,
  withAnnouncement,
  withArrived,
  withInformation,
} from './link-transfer.ts';
import { encodeParameters, negotiate, parametersOf } from './parameters.ts';

/** The effect of a transition; `next` is the phase it leads to. */
export type Action = (state: LinkState, event: LinkEvent, next: LinkPhase) => LinkStep;

const frameIn = (event: LinkEvent): HdlcFrame => {
  if (event.type !== 'frame') throw new Error(`${event.type} is no frame`);
  return event.frame;
};
const apduIn = (event: LinkEvent): Uint8Array => {
  if (event.type !== 'send' && event.type !== 'announce') throw new Error(`${event.type} has no message`);
  return event.apdu;
};

export const ignore: Action = (state) => stepWithoutOutput(state);

const endLink = (state: LinkState, ended: LinkEnd): LinkStep => ({
  ...stepWithoutOutput(freshLink('disconnected', state.settings)),
  ended: state.closing ?? ended,
});

export const end =
  (reason: LinkEnd): Action =>
  (state) =>
    endLink(state, reason);

const encodeSnrm = (state: LinkState): Uint8Array =>
  frameOf(state, { kind: 'snrm', pollFinal: true }, encodeParameters(state.settings.parameters));

export const connect: Action = (state, _, next) => {
  const fresh = freshLink(next, state.settings);
  return { ...stepWithoutOutput(fresh), send: [encodeSnrm(fresh)] };
};

export const connectAgain: Action = (state) => ({
  ...stepWithoutOutput({ ...state, retriesLeft: state.retriesLeft - 1 }),
  send: [encodeSnrm(state)],
});

export const accepted: Action = (state, event, next) => {
  const peer = parametersOf(frameIn(event).information);
  return stepWithoutOutput(freshLink(next, state.settings, peer === undefined ? undefined : negotiate(state.settings.parameters, peer)));
};

/** A new SNRM resets the link. */
export const accept: Action = (state, event, next) => {
  const peer = parametersOf(frameIn(event).information);
  const limits = peer === undefined ? undefined : negotiate(state.settings.parameters, peer);
  const fresh = freshLink(next, state.settings, limits);
  return { ...stepWithoutOutput(fresh), send: [frameOf(fresh, { kind: 'ua', pollFinal: true }, encodeParameters(fresh.limits))] };
};

const encodeDisc = (state: LinkState): Uint8Array => frameOf(state, { kind: 'disc', pollFinal: true });

export const leave =
  (reason: LinkEnd): Action =>
  (state, _, next) => ({
    ...stepWithoutOutput({ ...freshLink(next, state.settings, state.limits), closing: reason }),
    send: [encodeDisc(state)],
  });

export const leaveAgain: Action = (state) => ({
  ...stepWithoutOutput({ ...state, retriesLeft: state.retriesLeft - 1 }),
  send: [encodeDisc(state)],
});

/** Confirms the DISC of the client. */
export const left: Action = (state) => ({
  ...endLink(state, 'PEER_LEFT'),
  send: [frameOf(state, { kind: 'ua', pollFinal: true })],
});

/** Responds DM to a poll while disconnected. */
export const notConnected: Action = (state, event) =>
  frameIn(event).control.pollFinal
    ? { ...stepWithoutOutput(state), send: [frameOf(state, { kind: 'dm', pollFinal: true })] }
    : stepWithoutOutput(state);

export const refuse: Action = (state) => ({
  ...stepWithoutOutput(freshLink('disconnected', state.settings)),
  send: [frameOf(state, { kind: 'dm', pollFinal: true })],
});

const INFORMATION_TOO_LONG = 0x04;

/** Ends the link with FRMR, because the message exceeds the maximum size. */
export const reject: Action = (state, event) => {
  const { control } = frameIn(event);
  const sendSequence = control.kind === 'i' ? control.sendSequence : 0;
  const status = Uint8Array.of(sendSequence << 1, (state.expected << 5) | (state.acknowledged << 1), INFORMATION_TOO_LONG);
  return { ...endLink(state, 'MESSAGE_TOO_LONG'), send: [frameOf(state, { kind: 'frmr', pollFinal: true }, status)] };
};

export const send: Action = (state, event) => {
  const next = sendQueued(enqueueMessage(state, apduIn(event)));
  return { ...stepWithoutOutput(next.state), send: next.send };
};

export const announce: Action = (state, event) => ({ ...stepWithoutOutput(state), send: [encodeAnnouncement(state, apduIn(event))] });
export const heard: Action = (state, event) => withAnnouncement(state, frameIn(event));

export const pass: Action = (state) => {
  if (!state.hasTurn) return stepWithoutOutput(state);
  const next = acknowledge(state);
  return { ...stepWithoutOutput(next.state), send: next.send };
};

/** After a response timeout: retransmits the unacknowledged frames, or asks the peer for its receive state. */
export const ask: Action = (state) => {
  const waiting = { ...state, hasTurn: true, retriesLeft: state.retriesLeft - 1 };
  const next = state.isPeerBusy || state.arrived === state.outgoing.length ? acknowledge(waiting) : sendQueued({ ...waiting, sent: 0 });
  return { ...stepWithoutOutput(next.state), send: next.send };
};

/**
 * Whether an I frame acknowledges ours implicitly. Some servers (jDLMS 1.8) never advance N(R); with a window of 1 they can only respond
 * to a message that has arrived.
 */
function isImplied({ settings, limits, sent, arrived, outgoing, expected }: LinkState, control: HdlcFrame['control']): boolean {
  const isAnswer = control.kind === 'i' && control.receiveSequence === 0 && control.sendSequence === expected && control.pollFinal;
  return isAnswer && settings.role === 'client' && limits.windowTransmit === 1 && sent > 0 && arrived + sent === outgoing.length;
}

/** Takes a numbered frame: its acknowledgement, its information field and the turn. */
export const transfer: Action = (state, event) => {
  const frame = frameIn(event);
  const { control } = frame;
  if (control.kind !== 'i' && control.kind !== 'rr' && control.kind !== 'rnr') throw new Error(`${control.kind} transfers nothing`);
  const count = isImplied(state, control) ? state.sent : arrivedCount(state, control.receiveSequence);
  const isStuck = control.pollFinal && (count ?? 0) === 0 && state.sent > 0;
  const settled = withArrived(state, count ?? 0, control.pollFinal);
  const heardPeer: LinkState = {
    ...settled,
    isPeerBusy: control.kind === 'rnr',
    hasTurn: settled.hasTurn || control.pollFinal,
    retriesLeft: isStuck && state.settings.role === 'client' ? settled.retriesLeft - 1 : settled.retriesLeft,
  };
  // An acknowledgement of frames that were never sent is damage that the check sequence cannot detect: the frame is ignored.
  const taken = count === undefined ? { state: heardPeer, received: [], refused: [] } : withInformation(heardPeer, frame);
  const spoken = sendReply(taken.state, { isWhole: taken.received.length > 0, isPolled: control.pollFinal });
  return { ...stepWithoutOutput(spoken.state), send: spoken.send, received: taken.received, refused: taken.refused };
};

/** Frames to send when the turn arrives. */
function sendReply(
  state: LinkState,
  { isWhole, isPolled }: { isWhole: boolean; isPolled: boolean },
): { state: LinkState; send: Uint8Array[] } {
  const next = sendQueued(state);
  if (next.send.length > 0 || !isPolled) return next;
  // A server keeps the turn while its application processes the message; a client polls for the remaining segments.
  const mustSpeak = state.settings.role === 'server' ? !isWhole : state.incoming !== undefined;
  return mustSpeak ? acknowledge(state) : next;
}
