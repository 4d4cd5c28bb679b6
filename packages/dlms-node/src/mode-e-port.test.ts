import { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { textOf, withParity } from '@hes/dlms/framing/mode-e/identification.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { ClientSession } from './client-session.ts';
import { serveDevices } from './device-server.ts';
import { openHdlc } from './hdlc-carrier.ts';
import { Meter } from './meter/meter.ts';
import { openOpticalPort } from './mode-e-port.ts';
import { nodeCipher } from './node-cipher.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An optical port over TCP: it speaks mode E first, and then HDLC with the meter behind it. */
async function opticalMeter(): Promise<number> {
  const deviceOf = demoMeter({
    cipher: nodeCipher,
    serial: '1',
    systemTitle: fromHex('4845534D00000001'),
    keys: undefined,
    password: undefined,
    now: () => Date.UTC(2026, 5, 15, 12, 7),
    days: 1,
    maxPduSize: 1024,
  });
  const meter = await serveDevices({ port: 0, host: '127.0.0.1', framing: 'hdlc', deviceOf });
  closing.push(() => meter.close());
  const port = createServer((socket) => answerOpening(socket, meter.port)).listen(0, '127.0.0.1');
  await once(port, 'listening');
  closing.push(() => port.close());
  return (port.address() as AddressInfo).port; // as: it listens on TCP
}

function answerOpening(socket: Socket, meterPort: number): void {
  let text = '';
  const take = (octets: Buffer): void => {
    text += textOf(octets);
    if (text === '/?!\r\n') socket.write(withParity('/HEs5\\2demo\r\n'));
    if (!text.endsWith('\x06252\r\n')) return;
    socket.off('data', take);
    socket.write(withParity('\x06252\r\n'));
    const meter = connect(meterPort, '127.0.0.1');
    socket.pipe(meter).pipe(socket);
    for (const end of [socket, meter]) end.on('error', () => {});
    socket.on('close', () => meter.destroy());
  };
  socket.on('data', take);
  socket.on('error', () => {});
}

describe('an optical port', () => {
  it('is opened in mode E, and then read in HDLC', async () => {
    const port = await opticalMeter();
    const bauds: number[] = [];
    const open = async (clientSap: number) => {
      const stream = connect(port, '127.0.0.1');
      await once(stream, 'connect');
      const opening = await openOpticalPort({ stream, setBaud: (baud) => bauds.push(baud), drain: () => undefined });
      expect(opening).toMatchObject({ manufacturer: 'HEs', identification: 'demo', agreedBaud: 9600 });
      return new ClientSession(await openHdlc(stream, { clientSap, serverSap: 1, timeoutMs: 5000 }));
    };
    const meter = await Meter.connect({ client: 2, open });
    closing.push(() => meter.close());
    expect((await meter.read('1.0.32.7.0.255')).text).toBe('230.1 V');
    expect(bauds).toEqual([300, 9600]);
  });

  it('without a meter ends, and leaves the stream as it was', async () => {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const attempt = openOpticalPort({ stream, setBaud: () => {} }, { timeoutMs: 20 });
    await expect(attempt).rejects.toMatchObject({ code: 'NO_ANSWER' });
    expect(['data', 'error', 'close'].map((event) => stream.listenerCount(event))).toEqual([0, 0, 0]);
    const open = async () => {
      await openOpticalPort({ stream, setBaud: () => {} }, { timeoutMs: 20 });
      throw new Error('unexpected');
    };
    await expect(Meter.connect({ client: 2, open })).rejects.toMatchObject({ name: 'MeterError', code: 'NOT_REACHABLE' });
  });

  it('that is unplugged fails with the error of the port', async () => {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const attempt = openOpticalPort({ stream, setBaud: () => {}, drain: () => stream.destroy(new Error('unplugged')) });
    await expect(attempt).rejects.toThrow('unplugged');
  });
});
