import type { DlmsConnection } from './dlms-connection.ts';

/** Carries APDUs between one client and one server over any transport. */
export interface ApduCarrier {
  send(apdu: Uint8Array): void;
  onApdu(listener: (apdu: Uint8Array) => void): void;
  /** The listener is called once. */
  onClose(listener: (why: string) => void): void;
  /** Polls for more data without a message, on transports where a server may only send when polled. */
  poll?(): void;
  close(): void;
}

/** A carrier for one pair of SAPs on a wrapper connection. */
export function wrapperCarrier(
  connection: DlmsConnection,
  { clientSap, serverSap }: { clientSap: number; serverSap: number },
): ApduCarrier {
  return {
    send: (apdu) => connection.send({ source: clientSap, destination: serverSap }, apdu),
    onApdu: (listener) =>
      connection.onFrame(({ source, destination, apdu }) => {
        if (source === serverSap && destination === clientSap) listener(apdu);
      }),
    onClose: (listener) => connection.onClose((reason, detail) => listener(`${reason}: ${detail}`)),
    close: () => connection.close(),
  };
}
