import { between, unitAt } from '#world/random.ts';

/** The line between a DCU and its meters. */
export interface ChannelModel {
  /** One-way latency per hop, milliseconds. */
  hopMs: readonly [from: number, to: number];
  bytesPerSecond: number;
  /** Share of the round trips that get lost. */
  loss: number;
  /** Response timeout of the DCU towards a meter; the line is blocked meanwhile. */
  responseTimeoutMs: number;
}

export const CHANNELS = {
  plc: { hopMs: [10, 25], bytesPerSecond: 24_000, loss: 0.003, responseTimeoutMs: 2000 },
  rf: { hopMs: [12, 30], bytesPerSecond: 14_000, loss: 0.003, responseTimeoutMs: 2000 },
} as const satisfies Record<string, ChannelModel>;

/** A realistic power line of several hops: 100 to 300 ms a hop, 2.4 kB/s, 1 % of the round trips lost. */
export const POWER_LINE: ChannelModel = { hopMs: [100, 300], bytesPerSecond: 2_400, loss: 0.01, responseTimeoutMs: 8_000 };

/** The same line with all its delays divided by `times`. */
export const fasterBy = ({ hopMs: [from, to], bytesPerSecond, loss, responseTimeoutMs }: ChannelModel, times: number): ChannelModel => ({
  hopMs: [from / times, to / times],
  bytesPerSecond: bytesPerSecond * times,
  loss,
  responseTimeoutMs: responseTimeoutMs / times,
});

/** One request to a meter with its response. */
export interface Downstream {
  model: ChannelModel;
  request: Uint8Array;
  hops: number;
  extraMs: number;
  perform(): Uint8Array | undefined;
  deliver(answer: Uint8Array): void;
}

/** The line below one DCU: serves one round trip at a time and queues the others. */
export interface Channel {
  send(exchange: Downstream): void;
  close(): void;
}

/** A line without latency and loss, for tests and for benchmarks of the head-end. `extraMs` still applies. */
export function createFastChannel(): Channel {
  const timers = new Set<NodeJS.Timeout>();
  const answer = ({ perform, deliver }: Downstream): void => {
    const answered = perform();
    if (answered) deliver(answered);
  };
  return {
    send(exchange) {
      if (exchange.extraMs === 0) return answer(exchange);
      const timer = setTimeout(() => {
        timers.delete(timer);
        answer(exchange);
      }, exchange.extraMs);
      timers.add(timer);
    },
    close: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

/** A line with the latency, bandwidth and loss of the model; losses are drawn from the stream. */
export function createChannel(stream: number): Channel {
  const waiting: Downstream[] = [];
  let draws = 0;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const after = (ms: number, then: () => void): void => {
    timer = setTimeout(then, ms);
  };
  const travelMs = ({ model, hops }: Downstream, bytes: number): number =>
    hops * between(stream, draws++, model.hopMs[0], model.hopMs[1]) + (bytes * 1000) / model.bytesPerSecond;

  function next(): void {
    const exchange = waiting.shift();
    isBusy = exchange !== undefined;
    if (!exchange) return;
    const isLost = unitAt(stream + 1, draws++) < exchange.model.loss;
    after(travelMs(exchange, exchange.request.length) + exchange.extraMs, () => {
      const answer = isLost ? undefined : exchange.perform();
      if (!answer) return after(exchange.model.responseTimeoutMs, next);
      after(travelMs(exchange, answer.length), () => {
        exchange.deliver(answer);
        next();
      });
    });
  }

  return {
    send(exchange) {
      waiting.push(exchange);
      if (!isBusy) next();
    },
    close() {
      waiting.length = 0;
      clearTimeout(timer);
    },
  };
}
