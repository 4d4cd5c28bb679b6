import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSpans } from '../../apps/server/src/metrics/otlp-spans.ts';
import { cpuSecondsOf, interleave, measured, type Interleaved } from './interleaved.ts';
import { WARM_UP_METERS, withCollection } from './w1-collect.ts';

const BLOCKS = 4;
const METERS_PER_BLOCK = 4_000;
const METERS = WARM_UP_METERS + 2 * BLOCKS * METERS_PER_BLOCK;

/** A collector that takes everything and keeps only how much. */
async function startCollector() {
  let octets = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (octets += chunk.byteLength));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    octets: () => octets,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** TRACES: collection with every trace exported by OpenTelemetry, against collection without a collector. */
export function traces(): Promise<Interleaved & { octetsPerMeter: number }> {
  return withCollection(METERS, async ({ database, collect }) => {
    const collector = await startCollector();
    const options = { url: collector.url, authorization: undefined, sharePercent: 100, version: 'bench', node: 'bench' };
    const others = () => (database.pid === undefined ? undefined : cpuSecondsOf([database.pid]));
    const block = (number: number) =>
      measured(METERS_PER_BLOCK, others, () => collect(1 + WARM_UP_METERS + number * METERS_PER_BLOCK, METERS_PER_BLOCK));
    try {
      const result = await interleave(BLOCKS, {
        async product(number) {
          const stopSpans = startSpans(options);
          try {
            return await block(2 * number);
          } finally {
            await stopSpans();
          }
        },
        reference: (number) => block(2 * number + 1),
      });
      if (collector.octets() === 0) throw new Error('No span reached the collector');
      return { ...result, octetsPerMeter: Math.round(collector.octets() / (BLOCKS * METERS_PER_BLOCK)) };
    } finally {
      collector.stop();
    }
  });
}
