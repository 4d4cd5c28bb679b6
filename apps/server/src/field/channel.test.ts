import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import type { WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Channel, ExchangeError, type Target } from './channel.ts';

const meter = (name: string): Target => ({ clientSap: 1, serverSap: 1, address: Buffer.from(name) });
const REQUEST = Uint8Array.of(0xc0, 1, 0xc1);
const ANSWER = Uint8Array.of(0xc4, 1, 0xc1);
const NOTIFICATION = Uint8Array.of(0x0f, 0, 0, 0, 1);

let sent: Uint8Array[];
let notified: Uint8Array[];
let channel: Channel;
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  notified = [];
  channel = new Channel(
    { send: (_address, apdu) => sent.push(apdu) },
    { maxInFlight: 1, timeoutLimits: { longestMs: 1000 }, leadsTo: 'dcu', onNotification: ({ apdu }) => notified.push(apdu) },
  );
});
afterEach(() => vi.useRealTimers());

const frame = (apdu: Uint8Array): WrapperFrame => ({ source: 1, destination: 1, apdu, octets: apdu });
const answer = (name: string, apdu = ANSWER) =>
  channel.receive(frame(encodeGateway({ response: true, networkId: 0, address: Buffer.from(name) }, apdu)));
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('channel', () => {
  test('one exchange at a time, and a queued operator before all queued collection', async () => {
    const order: string[] = [];
    const ask = (name: string, priority: 'operator' | 'bulk') =>
      channel.exchange(meter(name), REQUEST, { priority }).then(() => order.push(name));
    const all = [ask('A', 'bulk'), ask('B', 'bulk'), ask('C', 'operator')];
    await settle();
    expect(sent).toHaveLength(1);
    for (const name of ['A', 'C', 'B']) {
      answer(name);
      await settle();
    }
    expect(order).toEqual(['A', 'C', 'B']);
    await Promise.all(all);
  });

  test('a notification between request and response is delivered as such', async () => {
    const read = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' });
    await settle();
    answer('A', NOTIFICATION);
    answer('A');
    expect((await read).apdu).toEqual(ANSWER);
    expect(notified).toEqual([NOTIFICATION]);
  });

  test('a block between request and response belongs to a push, with and without gateway prefix', async () => {
    const BLOCK = Uint8Array.of(0xe0, 0x40, 0, 1, 0, 0, 1, 0xdb);
    const read = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' });
    await settle();
    answer('A', BLOCK);
    channel.receive(frame(encodeGateway({ networkId: 0, address: Buffer.from('A') }, BLOCK)));
    channel.receive(frame(BLOCK));
    answer('A');
    expect((await read).apdu).toEqual(ANSWER);
    expect(notified).toEqual([BLOCK, BLOCK, BLOCK]);
  });

  test('a protected message of the device itself is a push in each general form, also during a request that has none', async () => {
    const forms = [0xdb, 0xdc, 0xdd, 0xdf].map((tag) => Uint8Array.of(tag, 1, 2));
    const read = channel.exchange({ ...meter('A'), address: undefined }, REQUEST, { priority: 'bulk' });
    await settle();
    for (const apdu of forms) expect(channel.receive(frame(apdu))).toBe(false);
    channel.receive(frame(ANSWER));
    expect((await read).apdu).toEqual(ANSWER);
    expect(notified).toEqual(forms);
  });

  test('the response of another meter is not accepted', async () => {
    const read = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' }).catch((error: unknown) => error);
    await settle();
    answer('B');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await read).toMatchObject({ reason: 'METER_TIMEOUT' });
  });

  test('a timeout frees the slot for the next request', async () => {
    const first = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' }).catch((error: unknown) => error);
    const second = channel.exchange(meter('B'), REQUEST, { priority: 'bulk' });
    await vi.advanceTimersByTimeAsync(1000);
    answer('B');
    expect(await first).toBeInstanceOf(ExchangeError);
    expect((await second).apdu).toEqual(ANSWER);
  });

  test('each request has its own deadline, independent of other requests and responses', async () => {
    channel = new Channel(
      { send: () => undefined },
      { maxInFlight: 3, timeoutLimits: { longestMs: 1000 }, leadsTo: 'dcu', onNotification: () => undefined },
    );
    const ended: string[] = [];
    const ask = (name: string) =>
      channel.exchange(meter(name), REQUEST, { priority: 'bulk' }).then(
        () => ended.push(`${name} answered`),
        (error: ExchangeError) => ended.push(`${name} ${error.waitedMs}`),
      );
    const all = [ask('A'), ask('B')];
    await vi.advanceTimersByTimeAsync(400);
    all.push(ask('C'));
    answer('A');
    await vi.advanceTimersByTimeAsync(599);
    expect(ended).toEqual(['A answered']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['A answered', 'B 1000']);
    await vi.advanceTimersByTimeAsync(399);
    expect(ended).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['A answered', 'B 1000', 'C 1000']);
    await Promise.all(all);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of two requests to the same address the newest gets the response, and the other times out and releases its slot', async () => {
    channel = new Channel(
      { send: () => undefined },
      { maxInFlight: 2, timeoutLimits: { longestMs: 1000 }, leadsTo: 'dcu', onNotification: () => undefined },
    );
    const first = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(300);
    const second = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' });
    answer('A');
    expect(await second).toMatchObject({ apdu: ANSWER });
    await vi.advanceTimersByTimeAsync(700);
    expect(await first).toMatchObject({ reason: 'METER_TIMEOUT' });
    const after = ['B', 'C'].map((name) => channel.exchange(meter(name), REQUEST, { priority: 'bulk' }));
    await settle();
    for (const name of ['B', 'C']) answer(name);
    expect(await Promise.all(after)).toHaveLength(2);
  });

  test('a request with an earlier deadline than older ones expires first', async () => {
    channel = new Channel(
      { send: () => undefined },
      { maxInFlight: 2, timeoutLimits: { longestMs: 10_000, shortestMs: 100 }, leadsTo: 'dcu', onNotification: () => undefined },
    );
    const ORDER = Uint8Array.of(0xc1, 1, 0xc1);
    const addSamples = async (request: Uint8Array, ms: number) => {
      for (let sample = 0; sample < 20; sample++) {
        const read = channel.exchange(meter('A'), request, { priority: 'bulk' });
        await vi.advanceTimersByTimeAsync(ms);
        answer('A');
        await read;
      }
    };
    await addSamples(ORDER, 5000);
    await addSamples(REQUEST, 0);
    const slow = channel.exchange(meter('A'), ORDER, { priority: 'bulk' }).catch((error: unknown) => error);
    const fast = channel.exchange(meter('B'), REQUEST, { priority: 'bulk' }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(150);
    expect(await fast).toMatchObject({ reason: 'METER_TIMEOUT', waitedMs: 100 });
    answer('A');
    expect(await slow).toMatchObject({ apdu: ANSWER });
  });

  test('a late response to an older request is not accepted as the response to an association request', async () => {
    const opened = channel.exchange(meter('A'), Uint8Array.of(0x60, 0), { priority: 'bulk' });
    await settle();
    answer('A');
    answer('A', Uint8Array.of(0x61, 0));
    expect((await opened).apdu[0]).toBe(0x61);
  });

  test('the end of the connection rejects in-flight and later requests', async () => {
    const first = channel.exchange(meter('A'), REQUEST, { priority: 'bulk' }).catch((error: unknown) => error);
    await settle();
    channel.close('peer_closed');
    expect(await first).toMatchObject({ reason: 'LINK_LOST' });
    expect(vi.getTimerCount()).toBe(0);
    await expect(channel.exchange(meter('B'), REQUEST, { priority: 'bulk' })).rejects.toMatchObject({ reason: 'LINK_LOST' });
  });

  test('an unconfirmed request is sent at once, and its response matches no other request', async () => {
    const RELEASE = Uint8Array.of(0x62, 0);
    const AARQ = Uint8Array.of(0x60, 0);
    channel.sendUnconfirmed(meter('A'), RELEASE);
    const opened = channel.exchange(meter('A'), AARQ, { priority: 'bulk' });
    await settle();
    expect(sent).toHaveLength(2);
    answer('A', Uint8Array.of(0x63, 0));
    answer('A', Uint8Array.of(0x61, 0));
    expect((await opened).apdu[0]).toBe(0x61);
  });
});
