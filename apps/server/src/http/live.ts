import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { API_BASE } from '@hes/contract/core/v1.ts';
import { LIVE_PROTOCOL, liveRequest, liveTicketIn, type LiveMessage } from '@hes/contract/core/live.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Context, User } from '#db/context.ts';
import type { Nonces } from '#db/nonces.ts';
import type { Sessions } from './access/sessions.ts';
import { sendBareAnswer } from './bare-answer.ts';
import { hasOneHost } from './client-address.ts';
import { EVERYONE, sessionOfTopic, topicOfUser } from '#platform/bus.ts';
import { LiveScope } from './live-scope.ts';
import { isOwnOrigin } from './origin.ts';

const PATH = `${API_BASE}/websocket`;
const MAX_MESSAGE_OCTETS = 65_536;
const MAX_TOPICS = 200;
/** The connection of a client with a larger backlog is closed; the client reloads its data when it reconnects. */
const MAX_BUFFERED_OCTETS = 4_194_304;
const MAX_CLIENTS_PER_USER = 50;
/** Interval of pings and session checks of open sockets. */
const HEARTBEAT_MS = 10_000;
const MAX_MISSED = 3;

const CLOSE_TOKEN = 4401;
const CLOSE_TOO_SLOW = 1013;
const CLOSE_GOING_AWAY = 1001;

interface Client {
  socket: WebSocket;
  user: User;
  /** Followed topics, each with the function that ends it. */
  topics: Map<string, () => void>;
  scope: LiveScope;
  /** Serialises the work of a client: a subscription must be complete before the next message is filtered. */
  turn: Promise<void>;
  /** Consecutive unanswered pings. */
  missed: number;
}

export interface LiveParts {
  ctx: Context;
  sessions: Sessions;
  /** Session ids by ticket. */
  tickets: Nonces;
  isSecure: boolean;
}

export interface Live {
  readonly clients: number;
  close(): void;
}

/** Accepts WebSocket upgrades of the live socket. */
export function acceptLive(server: Server, { ctx, sessions, tickets, isSecure }: LiveParts): Live {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_OCTETS,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(LIVE_PROTOCOL) && LIVE_PROTOCOL,
  });
  const clients = new Set<Client>();

  function send(client: Client, text: string): void {
    if (client.socket.bufferedAmount > MAX_BUFFERED_OCTETS) client.socket.close(CLOSE_TOO_SLOW, 'too slow');
    else client.socket.send(text);
  }

  /** Sends the visible part of `message` to a client. */
  function deliver(client: Client, message: LiveMessage, whole: string): void {
    // No messages before a required change of password or enrolment.
    if (client.user.mustChangePassword || client.user.mustEnrol) return;
    if ((client.user.sessionEndsAt ?? Infinity) <= ctx.clock.now()) return inTurn(client, async () => void (await checkSession(client)));
    const part = client.scope.limit(message);
    if (part !== undefined) send(client, part === message ? whole : JSON.stringify(part));
  }

  function revoke(sessionId: string, message: LiveMessage): void {
    for (const client of clients) {
      if (client.user.sessionId !== sessionId) continue;
      client.socket.send(JSON.stringify(message));
      client.socket.close(CLOSE_TOKEN, 'session ended');
    }
  }

  function inTurn(client: Client, work: () => Promise<void> | void): void {
    client.turn = client.turn.then(work).catch((error: unknown) => ctx.log.warn('A live message failed', { error }));
  }

  /** Closes the socket when its session has ended; a refresh of the session extends it. */
  async function checkSession(client: Client): Promise<boolean> {
    const user = await sessions.userOfSession(client.user.sessionId);
    if (user === undefined) client.socket.close(CLOSE_TOKEN, 'session ended');
    else if (user.sessionEndsAt !== undefined) client.user.sessionEndsAt = user.sessionEndsAt;
    return user !== undefined;
  }

  function pingClients(): void {
    for (const client of clients) {
      client.missed += 1;
      if (client.missed > MAX_MISSED) {
        client.socket.terminate();
        continue;
      }
      client.socket.ping();
      inTurn(client, async () => void (await checkSession(client)));
    }
  }
  const heartbeat = setInterval(pingClients, HEARTBEAT_MS);
  heartbeat.unref();

  /** Applies the current rights of the user to the subscriptions of an open socket. */
  async function refreshRights(client: Client): Promise<void> {
    const user = await sessions.userOfSession(client.user.sessionId);
    if (user === undefined) return client.socket.close(CLOSE_TOKEN, 'session ended');
    client.user = user;
    client.scope = new LiveScope(ctx, user);
    for (const topic of client.topics.keys()) if (!(await client.scope.mayFollow(topic))) unfollow(client, topic);
  }

  /** Sends a notice to all clients, or to those of one user (`user:<id>`). */
  function notify(topic: string, message: LiveMessage): void {
    for (const client of clients) {
      if (topic !== EVERYONE && topic !== topicOfUser(client.user.id)) continue;
      inTurn(client, async () => {
        await refreshRights(client);
        send(client, JSON.stringify(message));
      });
    }
  }

  const unsubscribe = ctx.bus.subscribe(({ topic, message }) => {
    if (message.type === 'session.revoked') return revoke(sessionOfTopic(topic), message);
    if (message.type === 'notice') return notify(topic, message);
    if (message.type === 'endpoint.moved') return;
    let whole: string | undefined;
    for (const client of clients) {
      if (topic === EVERYONE || client.topics.has(topic)) deliver(client, message, (whole ??= JSON.stringify(message)));
    }
  });

  function follow(client: Client, topic: string): void {
    // The connection may have ended while the right to the topic was checked.
    if (clients.has(client) && !client.topics.has(topic)) client.topics.set(topic, ctx.bus.follow(topic));
  }

  function unfollow(client: Client, topic: string): void {
    client.topics.get(topic)?.();
    client.topics.delete(topic);
  }

  function removeClient(client: Client): void {
    clients.delete(client);
    for (const topic of client.topics.keys()) unfollow(client, topic);
  }

  async function handleRequest(client: Client, text: string): Promise<void> {
    if (text === 'ping') {
      if (await checkSession(client)) send(client, 'pong');
      return;
    }
    const request = liveRequest.safeParse(parseJson(text));
    if (!request.success) return;
    for (const topic of request.data.topics) {
      if (request.data.type === 'unsubscribe') unfollow(client, topic);
      else if (client.topics.size <= MAX_TOPICS && (await client.scope.mayFollow(topic))) follow(client, topic);
    }
  }

  function addClient(socket: WebSocket, user: User): void {
    const mine = [...clients].filter((other) => other.user.id === user.id);
    if (mine.length >= MAX_CLIENTS_PER_USER) mine[0]?.socket.close(CLOSE_GOING_AWAY, 'too many');
    const client: Client = { socket, user, topics: new Map(), scope: new LiveScope(ctx, user), turn: Promise.resolve(), missed: 0 };
    clients.add(client);
    follow(client, topicOfUser(user.id));
    socket.on('close', () => removeClient(client));
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => (client.missed = 0));
    socket.on('message', (data) => {
      client.missed = 0;
      inTurn(client, () => handleRequest(client, String(data)));
    });
  }

  async function acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const isOurs = hasOneHost(request.rawHeaders) && isOwnOrigin(request.headers.origin, request.headers.host, isSecure);
    if (url.pathname !== PATH || !isOurs) {
      return sendBareAnswer(socket, 403, isSecure);
    }
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? [];
    const sessionId = await tickets.spend(liveTicketIn(offered) ?? url.searchParams.get('access_token') ?? '');
    const user = sessionId === undefined ? undefined : await sessions.userOfSession(sessionId);
    // Browsers expose a close code to scripts, but not the status of a refused upgrade.
    sockets.handleUpgrade(request, socket, head, (opened) =>
      user === undefined ? opened.close(CLOSE_TOKEN, 'token') : addClient(opened, user),
    );
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    acceptUpgrade(request, socket, head).catch((error: unknown) => {
      ctx.log.warn('A live connection failed', { error });
      socket.destroy();
    });
  });

  return {
    get clients() {
      return clients.size;
    },
    close() {
      unsubscribe();
      clearInterval(heartbeat);
      for (const { socket } of clients) socket.close(CLOSE_GOING_AWAY, 'server stops');
      for (const { socket } of clients) setTimeout(() => socket.terminate(), 500).unref();
      sockets.close();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
