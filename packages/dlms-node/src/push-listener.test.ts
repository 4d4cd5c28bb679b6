import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { unconfirmedBlocks } from '@hes/dlms/association/block-stream.ts';
import { encodeNotification, isConfirmation, type Notification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { nodeCipher } from './node-cipher.ts';
import { PushListener, type PushListenerOptions, type ReceivedPush } from './push-listener.ts';

const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const TITLE = fromHex('4845534D00000001');
const ADDRESS = { source: 1, destination: 103 };

const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function listen(options: PushListenerOptions = {}): Promise<PushListener> {
  const listener = await PushListener.listen({ port: 0, host: '127.0.0.1', ...options });
  open.push(listener);
  return listener;
}

async function device({ port }: PushListener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  open.push({ close: () => void socket.destroy() });
  await once(socket, 'connect');
  return socket;
}

const push = (value: number, options: Partial<Notification> = {}): Uint8Array =>
  encodeNotification({ longInvokeId: value, body: encode(dataCodec, { type: 'unsigned', value }), ...options });

async function take(listener: PushListener, count: number): Promise<ReceivedPush[]> {
  const taken: ReceivedPush[] = [];
  for await (const one of listener) if (taken.push(one) === count) break;
  return taken;
}

it('yields pushes in order, and confirms those that ask for it', async () => {
  const listener = await listen();
  const socket = await device(listener);
  socket.write(encodeWrapper(ADDRESS, push(1)));
  socket.write(encodeWrapper(ADDRESS, push(2, { confirmed: true })));
  const [answer] = (await once(socket, 'data')) as [Buffer]; // as: the event's arguments
  const [frame] = new WrapperDeframer().push(answer);
  expect(isConfirmation(frame?.apdu ?? new Uint8Array(0), 2, () => undefined)).toBe(true);
  expect(frame).toMatchObject({ source: 103, destination: 1 });
  expect(await take(listener, 2)).toMatchObject([
    { body: { type: 'unsigned', value: 1 }, source: 1, systemTitle: undefined },
    { body: { type: 'unsigned', value: 2 } },
  ]);
});

it('unprotects pushes of known senders and rejects others without ending', async () => {
  const rejected: string[] = [];
  const known = TITLE.join();
  const listener = await listen({
    keysOf: (title) => (title.join() === known ? { cipher: nodeCipher, keys: KEYS, lastCounter: -1 } : undefined),
    onRejected: ({ message }) => rejected.push(message),
  });
  const socket = await device(listener);
  const protection = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', suite: 0, counter: 7 } as const;
  socket.write(encodeWrapper(ADDRESS, push(1, { protection: { ...protection, systemTitle: fromHex('4845534D00000002') } })));
  socket.write(encodeWrapper(ADDRESS, Uint8Array.of(0x0f, 1)));
  socket.write(encodeWrapper(ADDRESS, push(3, { protection: { ...protection, systemTitle: TITLE } })));
  expect(await take(listener, 1)).toMatchObject([{ body: { value: 3 }, systemTitle: TITLE, counter: 7 }]);
  expect(rejected).toHaveLength(2);
});

it('joins a push in blocks', async () => {
  const listener = await listen();
  const socket = await device(listener);
  const text = { type: 'octetString', value: new Uint8Array(300).fill(7) } as const;
  for (const block of unconfirmedBlocks(push(1, { body: encode(dataCodec, text) }), 100)) socket.write(encodeWrapper(ADDRESS, block));
  const [one] = await take(listener, 1);
  expect(one?.body).toEqual(text);
});

it('rejects a push in blocks that grows beyond the limit, and takes the next one', async () => {
  const rejected: string[] = [];
  const listener = await listen({ maxOctets: 100, onRejected: ({ message }) => rejected.push(message) });
  const socket = await device(listener);
  const long = push(1, { body: encode(dataCodec, { type: 'octetString', value: new Uint8Array(300) }) });
  for (const block of unconfirmedBlocks(long, 100)) socket.write(encodeWrapper(ADDRESS, block));
  socket.write(encodeWrapper(ADDRESS, push(2)));
  expect(await take(listener, 1)).toMatchObject([{ body: { value: 2 } }]);
  expect(rejected[0]).toContain('BLOCKS_TOO_LONG');
});

it('throttles senders while pushes wait, and loses none', async () => {
  const listener = await listen({ maxWaiting: 3 });
  const socket = await device(listener);
  for (let value = 0; value < 50; value++) socket.write(encodeWrapper(ADDRESS, push(value)));
  const values = (await take(listener, 50)).map(({ body }) => ('value' in body ? body.value : undefined));
  expect(values).toEqual(Array.from({ length: 50 }, (_, value) => value));
});

it('ends the iteration when it is closed', async () => {
  const listener = await listen();
  const taken = (async () => {
    const all: ReceivedPush[] = [];
    for await (const one of listener) all.push(one);
    return all;
  })();
  await listener.close();
  expect(await taken).toEqual([]);
});
