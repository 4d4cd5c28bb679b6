import { between, unitAt } from '#world/random.ts';

/** What lies between a DCU and its meters. */
export interface ChannelModel {
  /** One way, per hop. */
  hopMs: readonly [from: number, to: number];
  bytesPerSecond: number;
  /** Share of the exchanges that get lost. */
  loss: number;
  /** How long a DCU listens for a meter that does not answer; nobody else is served meanwhile. */
  patienceMs: number;
}

export const CHANNELS = {
  plc: { hopMs: [10, 25], bytesPerSecond: 24_000, loss: 0.003, patienceMs: 2000 },
  rf: { hopMs: [12, 30], bytesPerSecond: 14_000, loss: 0.003, patienceMs: 2000 },
} as const satisfies Record<string, ChannelModel>;

/** A power line of several hops as it is in the field: some hundred milliseconds a hop, 2.4 kB/s, one exchange in a hundred lost. */
export const POWER_LINE: ChannelModel = { hopMs: [100, 300], bytesPerSecond: 2_400, loss: 0.01, patienceMs: 8_000 };

/** The same line with all its delays divided by `times`. */
export const fasterBy = ({ hopMs: [from, to], bytesPerSecond, loss, patienceMs }: ChannelModel, times: number): ChannelModel => ({
  hopMs: [from / times, to / times],
  bytesPerSecond: bytesPerSecond * times,
  loss,
  patienceMs: patienceMs / times,
});

/** One question to a meter and its answer. */
export interface Downstream {
  model: ChannelModel;
  request: Uint8Array;
  hops: number;
  extraMs: number;
  perform(): Uint8Array | undefined;
  deliver(answer: Uint8Array): void;
}

/** The line below one DCU: one exchange at a time, the others wait their turn. */
export interface Channel {
  send(exchange: Downstream): void;
  close(): void;
}

/** At once and without loss: for tests, and for benchmarks that measure somebody else. A slowed exchange still takes its time. */
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

/** With the latency, bandwidth and losses of the model; what is lost is drawn from the stream. */
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
      if (!answer) return after(exchange.model.patienceMs, next);
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
