import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChannelModel, createChannel, createFastChannel, type Downstream } from './channel.ts';

const MODEL: ChannelModel = { hopMs: [10, 10], bytesPerSecond: 1000, loss: 0, responseTimeoutMs: 500 };
const exchange = (overrides: Partial<Downstream> & { deliver: Downstream['deliver'] }): Downstream => ({
  model: MODEL,
  request: new Uint8Array(10),
  hops: 2,
  extraMs: 0,
  perform: () => new Uint8Array(100),
  ...overrides,
});

describe('the line below a DCU', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('delays by its hops and octets, in both directions', () => {
    const deliver = vi.fn<Downstream['deliver']>();
    createChannel(1).send(exchange({ deliver }));
    // 2 hops of 10 ms and 10 octets at 1 000 a second, then 2 hops and 100 octets.
    vi.advanceTimersByTime(20 + 10 + 20 + 100 - 1);
    expect(deliver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(deliver).toHaveBeenCalledOnce();
  });

  test('serves one round trip at a time, in order', () => {
    const order: number[] = [];
    const channel = createChannel(1);
    for (const number of [1, 2, 3]) channel.send(exchange({ deliver: () => void order.push(number) }));
    vi.advanceTimersByTime(150);
    expect(order).toEqual([1]);
    vi.advanceTimersByTime(300);
    expect(order).toEqual([1, 2, 3]);
  });

  test('waits for the response timeout of a meter before it serves the next', () => {
    const deliver = vi.fn<Downstream['deliver']>();
    const channel = createChannel(1);
    channel.send(exchange({ deliver, perform: () => undefined }));
    channel.send(exchange({ deliver }));
    vi.advanceTimersByTime(30 + 500 + 149);
    expect(deliver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(deliver).toHaveBeenCalledOnce();
  });

  test('loses the modelled share of round trips, deterministically per stream', () => {
    const lostOf = (stream: number): number[] => {
      const lost: number[] = [];
      const channel = createChannel(stream);
      for (let number = 0; number < 1000; number++) {
        lost.push(number);
        channel.send(exchange({ model: { ...MODEL, loss: 0.05 }, deliver: () => void lost.splice(lost.indexOf(number), 1) }));
      }
      vi.runAllTimers();
      return lost;
    };
    const lost = lostOf(1);
    expect(lost.length).toBeGreaterThan(25);
    expect(lost.length).toBeLessThan(80);
    expect(lostOf(1)).toEqual(lost);
  });

  test('discards queued requests when it is closed', () => {
    const deliver = vi.fn<Downstream['deliver']>();
    for (const channel of [createChannel(1), createFastChannel()]) {
      channel.send(exchange({ deliver, extraMs: 50 }));
      channel.close();
    }
    vi.runAllTimers();
    expect(deliver).not.toHaveBeenCalled();
  });
});
