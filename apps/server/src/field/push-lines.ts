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
  readonly #byEndpoint = new Map<string, Set<PushLine>>();

  constructor(options: PushLinesOptions) {
    this.#options = options;
  }

  open(endpoint: EndpointRow, connection: DlmsConnection, { push, address, opened }: OpenedLine): void {
    const { refused, backoff, onMessage, onClosed, proofMs } = this.#options;
    const lines = this.#byEndpoint.get(endpoint.id) ?? new Set();
    this.#byEndpoint.set(endpoint.id, lines);
    const line = new PushLine({
      endpoint,
      connection,
      push,
      proofMs,
      onMessage,
      onClosed: (closed, isProved) => {
        lines.delete(closed);
        if (lines.size === 0) this.#byEndpoint.delete(endpoint.id);
        onClosed(closed);
        if (isProved) return backoff.recordSuccess(endpoint.sn, address);
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
      },
    });
    lines.add(line);
    const [oldest] = lines;
    if (lines.size > MAX_LINES) oldest?.close();
  }

  stop(): void {
    for (const lines of this.#byEndpoint.values()) for (const line of lines) line.close();
  }
}
