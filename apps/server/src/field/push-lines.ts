import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import { isCipheredTag } from '@hes/dlms/xdlms/ciphered.ts';
import { msSince, type MonotonicMs } from '#platform/clock.ts';
import type { UnsolicitedMessage } from './channel.ts';
import type { IdentificationBackoff } from './identification-backoff.ts';
import { PushLine } from './push-line.ts';
import type { EndpointRow } from './queries.ts';
import type { RefusedCallers } from './refused-callers.ts';

/** Lines of one meter at a time; beyond it the oldest one is closed, which the meter has probably left. */
const MAX_LINES = 8;

interface OpenedLine {
  push: DlmsFrame | undefined;
  address: string;
  opened: MonotonicMs;
}

export interface PushLinesOptions {
  refused: RefusedCallers;
  backoff: IdentificationBackoff;
  onMessage(line: PushLine, message: UnsolicitedMessage): void;
  onClosed(line: PushLine): void;
  /** Time in which a line must have carried an authenticated push. */
  proofMs: number;
}

/**
 * Whether a connection carries pushes only: the M-Bus of a consumer port takes no requests, and neither does the connection that a meter
 * opens for a ciphered push although it is to be dialled.
 */
export const isPushLine = ({ meterId, connectionType }: EndpointRow, { framing }: DlmsConnection, push: DlmsFrame | undefined): boolean =>
  meterId !== null && (framing === 'mbus' || (connectionType === 'dial_out' && push !== undefined && isCipheredTag(push.apdu[0] ?? 0)));

/** The connections that carry nothing but pushes. */
export class PushLines {
  readonly #options: PushLinesOptions;
  /** Lines that are open or not settled yet. */
  readonly #byEndpoint = new Map<string, Set<PushLine>>();

  constructor(options: PushLinesOptions) {
    this.#options = options;
  }

  open(endpoint: EndpointRow, connection: DlmsConnection, { push, address, opened }: OpenedLine): void {
    const { backoff, onMessage, onClosed, proofMs } = this.#options;
    const lines = this.#byEndpoint.get(endpoint.id) ?? new Set();
    this.#byEndpoint.set(endpoint.id, lines);
    const line: PushLine = new PushLine({
      endpoint,
      connection,
      push,
      proofMs,
      onMessage,
      onProved: () => backoff.recordSuccess(endpoint.sn, address),
      onClosed,
      onSettled: () => {
        lines.delete(line);
        if (lines.size === 0) this.#byEndpoint.delete(endpoint.id);
        if (!line.isProved && !line.isStopped) this.#recordUnproved(line, address, opened);
      },
    });
    lines.add(line);
    const open = [...lines].filter(({ connection: { closed } }) => !closed);
    if (open.length > MAX_LINES) open[0]?.close();
  }

  #recordUnproved({ endpoint, connection }: PushLine, address: string, opened: MonotonicMs): void {
    const { refused, backoff } = this.#options;
    backoff.recordFailure(endpoint.sn, address);
    refused.recordConnection({
      claimedName: endpoint.sn,
      remote: connection.remote,
      openMs: msSince(opened),
      reason: 'unproved',
      detail: 'No authenticated push',
      bytesIn: connection.bytesIn,
      bytesOut: connection.bytesOut,
    });
  }

  stop(): void {
    const lines = [...this.#byEndpoint.values()].flatMap((each) => [...each]);
    for (const line of lines) line.stop();
  }
}
