import { randomUUID } from 'node:crypto';
import type { LiveMessage } from '@hes/contract/core/live.ts';

/** Topic of notices for all signed-in users. */
export const EVERYONE = 'everyone';
/** Topic of what concerns one user; each of the user's live sockets follows it. */
export const topicOfUser = (userId: string): string => `user:${userId}`;

/** Topic of the end of a sign-in session. */
const SESSION_TOPIC = 'session:';
export const topicOfSession = (sessionId: string): string => SESSION_TOPIC + sessionId;
export const sessionOfTopic = (topic: string): string => topic.slice(SESSION_TOPIC.length);

/** A device has connected to the node that says so: another one that still has a connection to it closes that. */
interface EndpointMoved {
  type: 'endpoint.moved';
  ts: string;
  id: string;
  /** Its session there. */
  data: { sessionId: string };
}

/** Messages that no node may miss: they are announced by `commitChanges`, which also writes them into the log of changes. */
export type DurableMessage =
  | Extract<LiveMessage, { type: 'session.revoked' | 'device.changed' | 'dculog.capture' | 'notice' }>
  | EndpointMoved;
const DURABLE: ReadonlySet<string> = new Set([
  'session.revoked',
  'device.changed',
  'dculog.capture',
  'notice',
  'endpoint.moved',
] satisfies DurableMessage['type'][]);
export const isDurable = ({ type }: { type: string }): boolean => DURABLE.has(type);
export type LossyMessage = Exclude<LiveMessage, DurableMessage>;
export type BusMessage = LiveMessage | EndpointMoved;
export interface Durable {
  topic: string;
  message: DurableMessage;
}

/** For the consoles of a node that hears the others again: what these published meanwhile is lost. */
export const missedMessages = (now: number): LossyMessage => ({ type: 'missed', ts: new Date(now).toISOString(), id: '0', data: {} });

/** A message for open consoles. Topics: `task:<id>`, `dcu`, `reading`, `session:<id>`; for notices `user:<id>` and `everyone`. */
interface BusEvent {
  topic: string;
  message: BusMessage;
  /** Another node published it. */
  isRemote: boolean;
}

/** Publishes messages to all parts of the head-end, and to other nodes that follow their topics. Messages may be lost on the way to these. */
export interface Bus {
  /** Name of this process in the log of changes. */
  readonly origin: string;
  publish(topic: string, message: LossyMessage): void;
  /** Delivers a change within this process, after it was committed with its row in the log. */
  apply(change: Durable): void;
  /** Receives every message of this node, and those of other nodes whose topics are followed here. A listener must not throw. */
  subscribe(listener: (event: BusEvent) => void): () => void;
  /** Asks all nodes for the messages of a topic, until the returned function is called. */
  follow(topic: string): () => void;
  /** Whether any node follows a topic; otherwise its messages need not be created. */
  isFollowed(topic: string): boolean;
}

/** Takes messages to other nodes. */
export interface Carrier {
  isFollowed(topic: string): boolean;
  send(topic: string, message: LossyMessage): void;
  /** The topics that this node follows have changed. */
  announce(): void;
}

/** The bus of this process, as the carrier to other nodes sees it. */
export interface LocalBus extends Bus {
  /** Every topic that is followed here. */
  readonly topics: Iterable<string>;
  /** Delivers a message of another node. */
  deliver(topic: string, message: BusMessage): void;
  /** Sends what other nodes follow by this carrier from now on. */
  carryBy(carrier: Carrier): void;
}

export function createBus(): LocalBus {
  const listeners = new Set<(event: BusEvent) => void>();
  /** Number of followers by topic. */
  const followers = new Map<string, number>();
  let carrier: Carrier | undefined;
  const tell = (event: BusEvent) => {
    for (const listener of listeners) listener(event);
  };
  const unfollow = (topic: string) => {
    const left = (followers.get(topic) ?? 1) - 1;
    if (left > 0) return followers.set(topic, left);
    followers.delete(topic);
    carrier?.announce();
  };
  return {
    origin: randomUUID(),
    apply: ({ topic, message }) => tell({ topic, message, isRemote: false }),
    publish: (topic, message) => {
      tell({ topic, message, isRemote: false });
      if (carrier?.isFollowed(topic) === true) carrier.send(topic, message);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow: (topic) => {
      const before = followers.get(topic) ?? 0;
      followers.set(topic, before + 1);
      if (before === 0) carrier?.announce();
      let isFollowing = true;
      return () => {
        if (isFollowing) unfollow(topic);
        isFollowing = false;
      };
    },
    isFollowed: (topic) => followers.has(topic) || carrier?.isFollowed(topic) === true,
    get topics() {
      return followers.keys();
    },
    deliver: (topic, message) => tell({ topic, message, isRemote: true }),
    carryBy: (other) => void (carrier = other),
  };
}
