/** A mistake in the product's code, to see whether the simulation finds it. */
export interface Mutant {
  name: string;
  file: string;
  from: string;
  to: string;
}
export const MUTANTS: readonly Mutant[] = [];
