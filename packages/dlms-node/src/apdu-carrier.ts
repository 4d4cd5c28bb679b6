import type { WrapperConnection } from './wrapper-connection.ts';

/** What brings APDUs from one client to one server and back, whatever they travel in. */
export interface ApduCarrier {
  send(apdu: Uint8Array): void;
  onApdu(listener: (apdu: Uint8Array) => void): void;
  /** Told once. */
  onClose(listener: (why: string) => void): void;
  /** Asks for more without a message: only where a server must not speak before it was asked. */
  poll?(): void;
  close(): void;
}

/** The frames of one pair of SAPs on a connection. */
export function wrapperCarrier(
  connection: WrapperConnection,
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
