import type { Server, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { msFromNow, msUntil } from '#platform/clock.ts';

const LOOK_MS = 50;

/** Follows the requests of a server whose responses are not whole yet. Live sockets are none. */
export class OpenRequests {
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  #isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('request', (_request, response) => {
      this.#open.add(response);
      if (this.#isClosing) response.shouldKeepAlive = false;
      response.once('close', () => this.#open.delete(response));
    });
  }

  /** Accepts no connection from now on; each open one ends with its response, so that nothing begins after the last of them. */
  refuseNew(): void {
    this.#isClosing = true;
    for (const response of this.#open) response.shouldKeepAlive = false;
    // Ends idle connections, too.
    this.#server.close();
  }

  /** Waits until every response is whole or lost. False: some were not after the limit. */
  async settle(limitMs: number): Promise<boolean> {
    for (const ends = msFromNow(limitMs); this.#open.size > 0; await wait(LOOK_MS)) if (msUntil(ends) <= 0) return false;
    return true;
  }
}
