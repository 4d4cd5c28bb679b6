/**
 * Benchmarks: the product against the rawest way to do the same, in the same run.
 *
 *   npm run bench                    all of them, as a table
 *   npm run -s bench -- W1 --json    one; the last line is JSON: {"workload":"W1","ratio":0.31,…}
 */
import type { Interleaved } from './interleaved.ts';

interface Workload {
  what: string;
  unit: string;
  target: number;
  run(): Promise<Interleaved>;
}

const WORKLOADS: Record<string, Workload> = {
  W1: {
    what: 'collect: meter-days from the wire into the database, against the same bytes over bare sockets',
    unit: 'meter-days/s',
    target: 0.2,
    run: async () => (await import('./w1-collect.ts')).w1(),
  },
  W4: {
    what: 'ingest: values through the writer, against COPY of the same rows',
    unit: 'values/s',
    target: 0.3,
    run: async () => (await import('./w4-ingest.ts')).w4(),
  },
};

const round = (value: number): number => Number(value.toPrecision(3));

function report(name: string, { unit, target }: Workload, result: Interleaved): Record<string, unknown> {
  const { ratio, quartiles, product, reference, blocks, drift } = result;
  return {
    workload: name,
    ratio: round(ratio),
    target,
    quartiles: quartiles.map(round),
    product: round(product),
    reference: round(reference),
    unit,
    blocks,
    referenceDrift: round(drift),
  };
}

async function main(args: string[]): Promise<number> {
  const asJson = args.includes('--json');
  const names = args.filter((arg) => !arg.startsWith('--')).map((name) => name.toUpperCase());
  const unknown = names.find((name) => !Object.hasOwn(WORKLOADS, name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no workload ${unknown}. Choose from ${Object.keys(WORKLOADS).join(', ')}.\n`);
    return 2;
  }
  const reports: Record<string, unknown>[] = [];
  for (const name of names.length > 0 ? names : Object.keys(WORKLOADS)) {
    const workload = WORKLOADS[name];
    if (workload === undefined) continue;
    if (!asJson) process.stderr.write(`${name} ${workload.what} …\n`);
    const one = report(name, workload, await workload.run());
    reports.push(one);
    if (asJson) process.stdout.write(`${JSON.stringify(one)}\n`);
  }
  if (!asJson) console.table(reports.map((one) => ({ ...one, quartiles: String(one['quartiles']) })));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
