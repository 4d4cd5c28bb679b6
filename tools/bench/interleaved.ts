import { readdirSync, readFileSync } from 'node:fs';

/** One measured block of work. */
export interface Block {
  units: number;
  seconds: number;
  /** Processor time of all participants if available: the reliable figure on a busy machine. */
  cpuSeconds?: number | undefined;
}

export interface Interleaved {
  /** Median of the blocks' ratios, product over reference. */
  ratio: number;
  /** The same ratio by processor time. */
  cpuRatio: number | undefined;
  /** Interquartile range of the ratios. */
  quartiles: [number, number];
  /** Medians, units per second. */
  product: number;
  reference: number;
  blocks: number;
  /** Interquartile range of the reference over its median: a large value indicates a busy machine. */
  drift: number;
}

const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);

/** The quantile of the values for a share. */
export function quantile(values: number[], share: number): number {
  const ordered = sorted(values);
  const at = (ordered.length - 1) * share;
  const low = ordered[Math.floor(at)] ?? Number.NaN;
  return low + ((ordered[Math.ceil(at)] ?? low) - low) * (at - Math.floor(at));
}

const speed = ({ units, seconds }: Block): number => units / seconds;

/** Runs product and reference alternately, in reversed order each time, so that other load affects both. */
export async function interleave(
  blocks: number,
  work: { product(block: number): Promise<Block>; reference(block: number): Promise<Block> },
): Promise<Interleaved> {
  const product: number[] = [];
  const reference: number[] = [];
  const cpu = { product: [] as number[], reference: [] as number[] };
  const run = async (side: 'product' | 'reference', block: number) => {
    const done = await work[side](block);
    (side === 'product' ? product : reference).push(speed(done));
    if (done.cpuSeconds !== undefined) cpu[side].push(done.units / done.cpuSeconds);
  };
  for (let block = 0; block < blocks; block++) {
    for (const side of block % 2 === 0 ? (['product', 'reference'] as const) : (['reference', 'product'] as const)) await run(side, block);
  }
  const ratios = product.map((value, index) => value / (reference[index] ?? Number.NaN));
  return {
    ratio: quantile(ratios, 0.5),
    cpuRatio:
      cpu.product.length === 0
        ? undefined
        : quantile(
            cpu.product.map((value, index) => value / (cpu.reference[index] ?? Number.NaN)),
            0.5,
          ),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    product: quantile(product, 0.5),
    reference: quantile(reference, 0.5),
    blocks,
    drift: (quantile(reference, 0.75) - quantile(reference, 0.25)) / quantile(reference, 0.5),
  };
}

/**
 * Milliseconds of processor time of a block: about a dozen garbage collections. With one or none per block, one side pays
 * for the garbage of the other, and the ratio varies by a fifth.
 */
export const BLOCK_MS = 400;
const WARM_UP_MS = 600;
/** Calls between two readings of the clock. */
const CALLS_AT_ONCE = 50;

/** Processor time of this process including garbage collection, independent of other processes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Calls per second of processor time within one block. */
export function speedOf(call: () => unknown, blockMs: number): number {
  const begin = cpuMs();
  let calls = 0;
  let elapsed = 0;
  do {
    for (let i = 0; i < CALLS_AT_ONCE; i++) call();
    calls += CALLS_AT_ONCE;
    elapsed = cpuMs() - begin;
  } while (elapsed < blockMs);
  return (calls * 1000) / elapsed;
}

/** Comparison of two implementations within this process, by processor time. */
export interface Compared {
  /** Median of the quadruples' ratios, product over reference. */
  ratio: number;
  /** Interquartile range of the ratios. */
  quartiles: [number, number];
  /** Medians, calls per second of processor time. */
  product: number;
  reference: number;
}

/** Runs blocks in quadruples of product, reference, reference, product: drift affects both equally. */
export function inQuadruples(product: () => unknown, reference: () => unknown, quadruples: number): Compared {
  speedOf(product, WARM_UP_MS);
  speedOf(reference, WARM_UP_MS);
  const runs = Array.from({ length: quadruples }, () => {
    const first = speedOf(product, BLOCK_MS);
    const references = (speedOf(reference, BLOCK_MS) + speedOf(reference, BLOCK_MS)) / 2;
    const second = speedOf(product, BLOCK_MS);
    return { product: (first + second) / 2, reference: references };
  });
  const ratios = runs.map((one) => one.product / one.reference);
  const median = (side: 'product' | 'reference') =>
    quantile(
      runs.map((one) => one[side]),
      0.5,
    );
  return {
    ratio: quantile(ratios, 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    product: median('product'),
    reference: median('reference'),
  };
}

/** Runs `work` and returns its duration, with the processor time of this process and of `others`. */
export async function measured(units: number, others: () => number | undefined, work: () => Promise<unknown>): Promise<Block> {
  const cpu = process.cpuUsage();
  const othersBefore = others();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const othersAfter = others();
  const { user, system } = process.cpuUsage(cpu);
  const known = othersBefore !== undefined && othersAfter !== undefined;
  return { units, seconds, cpuSeconds: known ? (user + system) / 1e6 + othersAfter - othersBefore : undefined };
}

const TICKS_PER_SECOND = 100;

/** Processor seconds of processes and their children, ended ones included; undefined where unavailable. */
export function cpuSecondsOf(parents: readonly number[]): number | undefined {
  try {
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const stat = statOf(name);
      if (stat === undefined || !(parents.includes(Number(name)) || parents.includes(stat.parent))) continue;
      ticks += stat.own + (parents.includes(Number(name)) ? stat.ended : 0);
    }
    return ticks / TICKS_PER_SECOND;
  } catch {
    // Only Linux has /proc; elsewhere there is no processor time to report.
    return undefined;
  }
}

function statOf(pid: string): { parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    return { parent, own: (fields[11] ?? 0) + (fields[12] ?? 0), ended: (fields[13] ?? 0) + (fields[14] ?? 0) };
  } catch {
    // The process ended after the listing.
    return undefined;
  }
}
