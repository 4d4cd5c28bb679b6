import { connect, type Socket } from 'node:net';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';

/** A minimal head-end, sufficient for tests of a simulated fleet. */
export interface HeadEnd {
  run<T>(exchange: Exchange<T>, to: { clientSap?: number; meterSn?: string }): Promise<T>;
  /** Octets of the response; undefined after a timeout. */
  ask(apdu: Uint8Array, to: { clientSap?: number; meterSn?: string; withinMs?: number }): Promise<Uint8Array | undefined>;
  close(): void;
}

const TITLE = fromHex('4845530000000001');
const ANSWER_MS = 5000;
let counter = Math.floor(Date.now() / 1000);

export function dial(port: number): Promise<HeadEnd> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(headEndOn(socket)));
    socket.once('error', reject);
  });
}

export function headEndOn(socket: Socket): HeadEnd {
  const connection = new DlmsConnection(socket, { frameTimeoutMs: ANSWER_MS });
  let waiting: ((apdu: Uint8Array) => void) | undefined;
  connection.onFrame((frame) => {
    if (frame.apdu[0] !== 0x0f) waiting?.(frame.apdu.slice());
  });
  const ask: HeadEnd['ask'] = (apdu, { clientSap = 1, meterSn, withinMs = ANSWER_MS }) =>
    new Promise((resolve) => {
      const address = Uint8Array.from(meterSn ?? '', (letter) => letter.charCodeAt(0));
      const timer = setTimeout(() => resolve(undefined), withinMs);
      waiting = (answer) => {
        clearTimeout(timer);
        resolve(meterSn === undefined ? answer : decodeGateway(answer)?.apdu);
      };
      // A dialogue that yields nothing waits for the next response.
      if (apdu.length === 0) return;
      connection.send({ source: clientSap, destination: 1 }, meterSn === undefined ? apdu : encodeGateway({ networkId: 0, address }, apdu));
    });
  return {
    ask,
    async run(exchange, to) {
      let step = exchange.next();
      while (step.done !== true) {
        const answer = await ask(step.value, to);
        if (!answer) throw new Error('No response');
        step = exchange.next(answer);
      }
      return step.value;
    },
    close: () => connection.close(),
  };
}

export function managementClient(
  keys: { ek: string; ak: string; systemTitle: string },
  overrides: Partial<ClientOptions> = {},
): ClientAssociation {
  return new ClientAssociation({
    mechanism: 'hlsGmac',
    ciphered: true,
    systemTitle: TITLE,
    keys: { ek: fromHex(keys.ek), ak: fromHex(keys.ak) },
    cipher: nodeCipher,
    maxPduSize: 2048,
    nextCounter: () => counter++,
    peer: { systemTitle: fromHex(keys.systemTitle), counter: -1 },
    ...overrides,
  });
}

export function publicClientAssociation(): ClientAssociation {
  return new ClientAssociation({
    mechanism: 'none',
    ciphered: false,
    systemTitle: TITLE,
    cipher: nodeCipher,
    maxPduSize: 2048,
    nextCounter: () => counter++,
    peer: { counter: -1 },
  });
}
