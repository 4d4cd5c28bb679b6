const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** Reproducible pseudo-random numbers from 0 to 1 (Lehmer). Seeds that follow one another give unlike first numbers. */
export function chance(seed: number): () => number {
  let state = (seed * 7_919 + 1) % MODULUS;
  const next = (): number => (state = (state * MULTIPLIER) % MODULUS) / MODULUS;
  for (let n = 0; n < 5; n++) next();
  return next;
}
