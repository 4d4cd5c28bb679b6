import { connect } from 'node:net';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { FleetContext } from './context.ts';
import { MANAGEMENT_SERVER_SAP } from './rules.ts';

const FRAME_TIMEOUT_MS = 30_000;

/** The line from a DCU to meters of another DLMS stack, which are servers on this machine. */
export interface ForeignLine {
  ask(sn: string, clientSap: number, apdu: Uint8Array, reply: (answer: Uint8Array) => void): void;
  /** Closes the connections, which ends the associations. */
  close(): void;
}

export function createForeignLine({ foreign, tally }: FleetContext): ForeignLine {
  const lines = new Map<string, { connection: DlmsConnection; reply: (answer: Uint8Array) => void }>();

  function lineTo(sn: string, port: number): { connection: DlmsConnection; reply: (answer: Uint8Array) => void } {
    const connection = new DlmsConnection(connect(port, '127.0.0.1'), { frameTimeoutMs: FRAME_TIMEOUT_MS });
    const line = { connection, reply: (_answer: Uint8Array) => {} };
    connection.onFrame(({ apdu }) => {
      tally.foreign.set(sn, (tally.foreign.get(sn) ?? 0) + 1);
      line.reply(apdu);
    });
    connection.onClose(() => {
      if (lines.get(sn) === line) lines.delete(sn);
    });
    lines.set(sn, line);
    return line;
  }

  return {
    ask(sn, clientSap, apdu, reply) {
      const port = foreign.get(sn);
      if (port === undefined) return;
      const line = lines.get(sn) ?? lineTo(sn, port);
      line.reply = reply;
      line.connection.send({ source: clientSap, destination: MANAGEMENT_SERVER_SAP }, apdu);
    },
    close() {
      for (const { connection } of lines.values()) connection.close();
      lines.clear();
    },
  };
}
