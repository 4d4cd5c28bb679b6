import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { msFromNow, msUntil } from '#platform/clock.ts';

const LOOK_MS = 50;

/** Counts the requests of a server whose responses are not whole yet. Live sockets are none. */
export class OpenRequests {
  #count = 0;

  constructor(server: Server) {
    server.on('request', (_request, response) => {
      this.#count++;
      response.once('close', () => this.#count--);
    });
  }

  /** Waits until every response is whole or lost. False: some were not after the limit. */
  async settle(limitMs: number): Promise<boolean> {
    for (const ends = msFromNow(limitMs); this.#count > 0; await wait(LOOK_MS)) if (msUntil(ends) <= 0) return false;
    return true;
  }
}
