import type { Socket } from 'node:net';
import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { CloseReason } from '@hes/contract/states/device.ts';
import { monotonicNow, type MonotonicMs } from '#platform/clock.ts';
import type { ProxySource } from '#platform/proxy-header.ts';

/** Connections without identification of one host, oldest first. */
export type WaitingCallers = Set<Unidentified>;

export interface UnidentifiedOptions {
  waiting: WaitingCallers;
  /** Time limit of the identification. */
  limitMs: number;
  onRefused(caller: Unidentified, reason: CloseReason, detail: string | null, name: string | undefined): void;
}

/**
 * A connection whose device is not known yet. Timers and listeners end with the release, so that a connection which stays open for months
 * keeps nothing of its beginning.
 */
export class Unidentified {
  readonly socket: Socket;
  readonly address: string;
  /** Address and port, for operators. */
  readonly remote: string;
  readonly opened: MonotonicMs = monotonicNow();
  connection: DlmsConnection | undefined;
  readonly #options: UnidentifiedOptions;
  readonly #limit: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  readonly #onSocketClosed = (): void => {
    // A connection reports its end, with a reason.
    if (this.connection === undefined) this.refuse('peer_closed', null);
  };

  constructor(socket: Socket, source: ProxySource, options: UnidentifiedOptions) {
    this.socket = socket;
    this.address = source.address;
    this.remote = remoteOf(source);
    this.#options = options;
    this.#limit = setTimeout(() => this.refuse('identification_timeout', null), options.limitMs);
    socket.once('close', this.#onSocketClosed);
    options.waiting.add(this);
  }

  /** Begins the time limit of the identification again. */
  extend(): void {
    this.#limit.refresh();
  }

  /** Calls `onSilence` if the caller sends nothing within this time. */
  awaitMessage(withinMs: number, onSilence: () => void): void {
    this.#silence = setTimeout(onSilence, withinMs);
  }

  /** The caller has sent a message. */
  endSilence(): void {
    clearTimeout(this.#silence);
  }

  /** Removes the connection from the waiting ones; returns false when it was removed before. */
  release(): boolean {
    clearTimeout(this.#limit);
    this.endSilence();
    this.socket.off('close', this.#onSocketClosed);
    return this.#options.waiting.delete(this);
  }

  /** Closes the connection and reports it, unless it was released before. */
  refuse(reason: CloseReason, detail: string | null, name?: string): void {
    if (!this.release()) return;
    if (this.connection === undefined) this.socket.destroy();
    else this.connection.close();
    this.#options.onRefused(this, reason, detail, name);
  }
}

export const remoteOf = ({ address, port }: ProxySource): string => `${address === '' ? 'unknown' : address}:${port}`;
