import { LIVE_PING_MS, LIVE_RECONNECT_MS, type LiveMessage, type LiveRequest } from '@hes/contract/core/live.ts';

/** The part of the WebSocket API that is used here. Tests pass their own implementation. */
export interface LiveSocket {
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LiveState {
  link: 'idle' | 'connecting' | 'open' | 'waiting';
  /** Time of the next connection attempt; null unless one is scheduled. */
  retryAt: number | null;
  /** Time when an open link was lost; null while it is open, and before the first connection. */
  lostAt: number | null;
  lastMessageAt: number | null;
  /** The last message of a known format. */
  lastMessage: LiveMessage | null;
}

export interface LiveOptions {
  /** Whether a user is signed in. */
  isSignedIn(): boolean;
  /** A ticket for one connection; undefined: the server issued none, and the client retries later. */
  ticket(): Promise<string | undefined>;
  connect(ticket: string): LiveSocket;
  /** Called for everything that is received; undefined: a keep-alive or an unknown format. */
  onReceived(message: LiveMessage | undefined): void;
  /** Called when the link changes, not for each message. */
  onState(state: LiveState): void;
}

const PING = 'ping';
const PONG = 'pong';
/** When the queue is full the oldest requests are dropped. */
const MAX_QUEUE = 100;

/**
 * The WebSocket client: sends a keep-alive every 10 s and ignores the reply, reconnects 10 s after a close, queues requests while closed,
 * and subscribes to its topics again after each connect.
 */
export class LiveClient {
  #options: LiveOptions;
  #socket: LiveSocket | undefined;
  /** Identifies the ticket request in flight; a response with another identity is ignored. */
  #asking: symbol | undefined;
  #ping: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #queue: string[] = [];
  #topics = new Map<string, number>();
  #state: LiveState = { link: 'idle', retryAt: null, lostAt: null, lastMessageAt: null, lastMessage: null };

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get state(): LiveState {
    return this.#state;
  }

  open(): void {
    if (!this.#options.isSignedIn() || this.#socket || this.#asking) return;
    clearTimeout(this.#retry);
    this.#set({ link: 'connecting', retryAt: null });
    const asking = Symbol('ticket');
    this.#asking = asking;
    void this.#options.ticket().then((ticket) => {
      // Closed while the request was in flight: the ticket expires unused.
      if (this.#asking !== asking) return;
      this.#asking = undefined;
      if (ticket === undefined) this.#waitForRetry();
      else this.#connect(ticket);
    });
  }

  #connect(ticket: string): void {
    const socket = this.#options.connect(ticket);
    this.#socket = socket;
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (event) => this.#received(event.data);
    socket.onclose = () => this.#closed(socket);
  }

  /** Closes the link at sign-out; it stays closed until `open` is called. */
  close(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#ping);
    const socket = this.#socket;
    this.#socket = undefined;
    this.#asking = undefined;
    this.#queue = [];
    socket?.close();
    this.#set({ link: 'idle', retryAt: null, lostAt: null });
  }

  send(request: LiveRequest): void {
    const text = JSON.stringify(request);
    if (this.#state.link === 'open' && this.#socket) this.#socket.send(text);
    else this.#queue = [...this.#queue, text].slice(-MAX_QUEUE);
  }

  /** Subscribes to a topic until the returned function is called. Several subscribers share one subscription on the server. */
  subscribe(topic: string): () => void {
    const takers = this.#topics.get(topic) ?? 0;
    this.#topics.set(topic, takers + 1);
    if (takers === 0 && this.#state.link === 'open') this.send({ type: 'subscribe', topics: [topic] });
    let active = true;
    return () => {
      if (!active) return;
      active = false;
      const left = (this.#topics.get(topic) ?? 1) - 1;
      if (left > 0) this.#topics.set(topic, left);
      else {
        this.#topics.delete(topic);
        if (this.#state.link === 'open') this.send({ type: 'unsubscribe', topics: [topic] });
      }
    };
  }

  #opened(socket: LiveSocket): void {
    if (socket !== this.#socket) return;
    this.#set({ link: 'open', retryAt: null, lostAt: null });
    if (this.#topics.size > 0) this.send({ type: 'subscribe', topics: [...this.#topics.keys()] });
    for (const text of this.#queue.splice(0)) socket.send(text);
    this.#ping = setInterval(() => socket.send(PING), LIVE_PING_MS);
  }

  #received(data: unknown): void {
    const message = typeof data !== 'string' || data === PONG ? undefined : parsed(data);
    this.#state = { ...this.#state, lastMessageAt: Date.now(), lastMessage: message ?? this.#state.lastMessage };
    this.#options.onReceived(message);
  }

  #closed(socket: LiveSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    clearInterval(this.#ping);
    this.#waitForRetry();
  }

  #waitForRetry(): void {
    const lostAt = this.#state.lostAt ?? (this.#state.link === 'open' ? Date.now() : null);
    this.#set({ link: 'waiting', lostAt, retryAt: Date.now() + LIVE_RECONNECT_MS });
    this.#retry = setTimeout(() => this.open(), LIVE_RECONNECT_MS);
  }

  #set(change: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }
}

/** Messages that are not JSON are ignored. */
function parsed(text: string): LiveMessage | undefined {
  try {
    return JSON.parse(text) as LiveMessage; // the HES server's envelope; unknown types are ignored by the table
  } catch {
    return undefined;
  }
}
