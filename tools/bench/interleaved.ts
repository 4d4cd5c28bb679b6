/** One measured stretch of work. */
export interface Block {
  units: number;
  seconds: number;
}

export interface Interleaved {
  /** Median of the blocks' ratios, product over reference. */
  ratio: number;
  /** Middle half of the ratios. */
  quartiles: [number, number];
  /** Medians, units per second. */
  product: number;
  reference: number;
  blocks: number;
  /** How far the reference wandered between its quartiles, as a share of its median: a large one says the machine was busy. */
  drift: number;
}

const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);

/** The value below which a share of the values lies. */
export function quantile(values: number[], share: number): number {
  const ordered = sorted(values);
  const at = (ordered.length - 1) * share;
  const low = ordered[Math.floor(at)] ?? Number.NaN;
  return low + ((ordered[Math.ceil(at)] ?? low) - low) * (at - Math.floor(at));
}

const speed = ({ units, seconds }: Block): number => units / seconds;

/** Runs product and reference in turns, the order reversed each time, so that what the machine does besides hits both. */
export async function interleave(
  blocks: number,
  work: { product(block: number): Promise<Block>; reference(block: number): Promise<Block> },
): Promise<Interleaved> {
  const product: number[] = [];
  const reference: number[] = [];
  for (let block = 0; block < blocks; block++) {
    if (block % 2 === 0) {
      product.push(speed(await work.product(block)));
      reference.push(speed(await work.reference(block)));
    } else {
      reference.push(speed(await work.reference(block)));
      product.push(speed(await work.product(block)));
    }
  }
  const ratios = product.map((value, index) => value / (reference[index] ?? Number.NaN));
  return {
    ratio: quantile(ratios, 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    product: quantile(product, 0.5),
    reference: quantile(reference, 0.5),
    blocks,
    drift: (quantile(reference, 0.75) - quantile(reference, 0.25)) / quantile(reference, 0.5),
  };
}

/** Seconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
