/**
 * Benchmarks: the product against the minimal implementation of the same task, in the same run.
 * npm run bench                    all of them, as a table
 * npm run -s bench -- W1 --json    one; the last line is JSON: {"workload":"W1","ratio":0.31,…}
 */
import { inspect } from 'node:util';
import type { Interleaved } from './interleaved.ts';

interface Report {
  ratio: number;
  [figure: string]: unknown;
}

interface Workload {
  what: string;
  /** The figure to reach. */
  target: number;
  run(): Promise<Report>;
}

const round = (value: number): number => Number(value.toPrecision(3));

const interleaved = (unit: string, result: Interleaved): Report => ({
  ratio: round(result.ratio),
  cpuRatio: result.cpuRatio === undefined ? null : round(result.cpuRatio),
  quartiles: result.quartiles.map(round),
  product: round(result.product),
  reference: round(result.reference),
  unit,
  blocks: result.blocks,
  referenceDrift: round(result.drift),
});

const figured = (figures: { ratio: number; [figure: string]: unknown }): Report => ({ ...figures, ratio: round(figures.ratio) });

const WORKLOADS: Record<string, Workload> = {
  W1: {
    what: 'collect: meter-days from the wire into the database, against the same bytes over bare sockets',
    target: 0.2,
    run: async () => interleaved('meter-days/s', await (await import('./w1-collect.ts')).w1()),
  },
  W2: {
    what: 'decode: profile buffers into columns, against JSON.parse of the same values',
    target: 2,
    run: async () => {
      const { ratio, detail } = await (await import('./w2-decode.ts')).run();
      return { ratio: round(ratio), ...detail };
    },
  },
  W3: {
    what: 'secured APDU: deciphered, authenticated, counter checked and decoded, against raw GCM on the same octets',
    target: 0.6,
    run: async () => {
      const { ratio, detail } = (await import('./w3-secured.ts')).run();
      return { ratio: round(ratio), ...detail };
    },
  },
  W4: {
    what: 'ingest: values through the writer, against COPY of the same rows',
    target: 0.3,
    run: async () => interleaved('values/s', await (await import('./w4-ingest.ts')).w4()),
  },
  BILL: {
    what: 'bill: a month of 100,000 meters within a minute; CPU by meter at four times the meters, and by day',
    target: 1,
    run: async () => {
      const { ratio, ...figures } = await (await import('./bill.ts')).billBench();
      return { ratio: round(ratio), ...figures };
    },
  },
  W7: {
    what: 'lists: pages of lists of a million meters through the API, against the same statements over one connection (bench:data first)',
    target: 0.55,
    run: async () => {
      const { ratio, ...figures } = await (await import('./w7-lists.ts')).w7();
      return { ratio: round(ratio), ...figures };
    },
  },
  MAP: {
    what: 'maps over ten thousand transformers, moved and zoomed: 50 ms against the longest frame (bench:data first, a quiet machine)',
    target: 1,
    run: async () => {
      const { ratio, ...figures } = await (await import('./map.ts')).mapBench();
      return { ratio: round(ratio), ...figures };
    },
  },
  IMPORT: {
    what: 'import: a million meters from a CSV part by part, and 300 hostile files; 300 MB against the growth of the server',
    target: 1,
    run: async () => {
      const { ratio, ...figures } = await (await import('./import-million.ts')).importMillion();
      return { ratio: round(ratio), ...figures };
    },
  },
  W5: {
    what: 'day: from midnight until 99.9 % of the responding meters are stored, over narrow channels with frame loss, against their air time',
    target: 2,
    run: async () => figured(await (await import('./w5-day.ts')).w5()),
  },
  W6: {
    what: 'on demand under load: an operator’s reading while a whole night is collected, against the same on the idle head-end (p95)',
    target: 2,
    run: async () => figured(await (await import('./w5-day.ts')).w6()),
  },
  W9: {
    what: 'live: from the octets of a DCU to the pixel of one browser with 100 other clients (p95), against 150 ms',
    target: 1,
    run: async () => figured(await (await import('./w9-live.ts')).w9()),
  },
  FLOOD: {
    what: 'flood: 500,000 unauthenticated frames over ten DLMS connections while an operator works; health, emergency stop, memory and log against their limits',
    target: 1,
    run: async () => figured(await (await import('./flood.ts')).floodBench()),
  },
  RECONNECT: {
    what: 'reconnect: a thousand DCUs reconnect at once and authenticate by keys, against the same admitted by their address',
    target: 0.5,
    run: async () => figured(await (await import('./reconnect.ts')).reconnectBench()),
  },
  W10: {
    what: 'idle connections: memory of an idle DCU connection at the head-end, against that of a bare socket',
    target: 3,
    run: async () => figured(await (await import('./w10-idle.ts')).w10()),
  },
  W12: {
    what: 'nodes: meters collected a second by one, two and four head-ends while the channels of their DCUs bind; four against four times one',
    target: 0.95,
    run: async () => figured(await (await import('./w12-nodes.ts')).w12()),
  },
  W13: {
    what: 'deliveries: meters collected a second beside a sender that empties the outbox, against without, while channels bind and at the limit of the processors; items a second by each sender and by its library alone',
    target: 0.95,
    run: async () => figured(await (await import('./w13-deliveries.ts')).w13()),
  },
  TRACES: {
    what: 'traces: meters collected a second with every trace exported by OpenTelemetry, against without a collector',
    target: 0.95,
    async run() {
      const { octetsPerMeter, ...result } = await (await import('./traces.ts')).traces();
      return { ...interleaved('meter-days/s', result), octetsPerMeter };
    },
  },
  W11: {
    what: 'growth: storing, a chart, a list, counters and octets a value at ten times the history, against the same at once',
    target: 1.2,
    run: async () => figured(await (await import('./w11-growth.ts')).w11()),
  },
  CONSOLE: {
    what: 'console on a computer four times slower: a change of page (600 ms), of the theme (600 ms), 30 frames a second of a run of 2,000',
    target: 1,
    run: async () => figured(await (await import('./console-speed.ts')).consoleSpeed()),
  },
  PEERS: {
    what: 'peers: our client and those of independent stacks against the same meter, by processor time; the smallest ratio (1: as fast as the best)',
    target: 1,
    run: async () => {
      const { ratio, ...figures } = await (await import('./peers/peers.ts')).peers();
      return { ratio: round(ratio), ...figures };
    },
  },
  W8: {
    what: 'console: octets and largest paint of sign-in and dashboard, slow computer, 10 Mbit/s; the limit against the worst of them',
    target: 1,
    run: async () => {
      const { ratio, ...figures } = await (await import('./w8-console.ts')).w8();
      return { ratio: round(ratio), ...figures };
    },
  },
};

async function main(args: string[]): Promise<number> {
  const asJson = args.includes('--json');
  const names = args.filter((arg) => !arg.startsWith('--')).map((name) => name.toUpperCase());
  const unknown = names.find((name) => !Object.hasOwn(WORKLOADS, name));
  if (unknown !== undefined) {
    process.stderr.write(`Unknown workload ${unknown}. Choose from ${Object.keys(WORKLOADS).join(', ')}.\n`);
    return 2;
  }
  const reports: Report[] = [];
  for (const name of names.length > 0 ? names : Object.keys(WORKLOADS)) {
    const workload = WORKLOADS[name];
    if (workload === undefined) continue;
    if (!asJson) process.stderr.write(`${name} ${workload.what} …\n`);
    const { ratio, ...figures } = await workload.run();
    const report = { workload: name, ratio, target: workload.target, ...figures };
    reports.push(report);
    if (asJson) process.stdout.write(`${JSON.stringify(report)}\n`);
  }
  if (!asJson) tell(reports);
  return 0;
}

const IN_TABLE = ['workload', 'ratio', 'cpuRatio', 'target', 'product', 'reference', 'unit'];

/** Prints a table of the ratios, followed by the figures behind each. */
function tell(reports: readonly Report[]): void {
  console.table(reports, IN_TABLE);
  for (const report of reports) {
    const figures = Object.entries(report).filter(([name]) => !IN_TABLE.includes(name));
    if (figures.length > 0) console.log(report['workload'], inspect(Object.fromEntries(figures), { depth: 4, breakLength: 140 }));
  }
}

process.exitCode = await main(process.argv.slice(2));
